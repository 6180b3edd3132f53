import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the time is over or the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
