import type { Logger } from 'pino';
import { orUndefinedAfter } from './or-undefined-after.ts';

export type Shutdown = ReturnType<typeof createShutdown>;

/** Coordinates shutdown. A part that fails or hangs does not keep the others from ending. */
export function createShutdown(log: Logger, partTimeoutMs: number) {
  const parts: { name: string; end: () => Promise<void> }[] = [];
  let running: Promise<boolean> | undefined;

  async function endPart(name: string, end: () => Promise<void>): Promise<boolean> {
    try {
      const ended = end().then(() => true);
      if (await orUndefinedAfter(partTimeoutMs, ended)) return true;
      throw new Error(`${name} did not end in time`);
    } catch (err) {
      log.error({ err }, `Ending ${name} failed`);
      return false;
    }
  }

  async function endAll(): Promise<boolean> {
    let clean = true;
    for (const { name, end } of parts.toReversed()) clean = (await endPart(name, end)) && clean;
    return clean;
  }

  return {
    /** Registers a part; parts end one at a time, in reverse order. */
    add: (name: string, end: () => Promise<void>) => parts.push({ name, end }),
    /** Idempotent. Resolves to whether every part ended cleanly. */
    run: () => {
      running ??= endAll();
      return running;
    },
  };
}
