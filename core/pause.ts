import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the time is over or the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Asks again and again until the answer is yes.
 *
 * @returns false when the time is over first
 * @throws the reason of the signal
 */
export async function waitUntil(
  ask: () => Promise<boolean>,
  everyMs: number,
  longestMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + longestMs;
  while (!(await ask())) {
    if (performance.now() > until) return false;
    await delay(everyMs, undefined, { signal });
  }
  return true;
}
