import type { Logger } from 'pino';
import { orUndefinedAfter } from './or-undefined-after.ts';

export type Shutdown = ReturnType<typeof createShutdown>;

interface Part {
  name: string;
  end: () => Promise<void>;
  graceMs: number;
}

/** Coordinates shutdown. A part that fails or hangs does not keep the others from ending. */
export function createShutdown(log: Logger, partTimeoutMs: number) {
  const parts: Part[] = [];
  let running: Promise<boolean> | undefined;

  async function endPart({ name, end, graceMs }: Part): Promise<boolean> {
    try {
      const ended = end().then(() => true);
      if (await orUndefinedAfter(graceMs + partTimeoutMs, ended)) return true;
      throw new Error(`${name} did not end in time`);
    } catch (err) {
      log.error({ err }, `Ending ${name} failed`);
      return false;
    }
  }

  async function endAll(): Promise<boolean> {
    let clean = true;
    for (const part of parts.toReversed()) clean = (await endPart(part)) && clean;
    return clean;
  }

  return {
    /**
     * Registers a part; parts end one at a time, in reverse order.
     *
     * @param graceMs how long the part lets running work finish, in addition to the time that every part has
     */
    add: (name: string, end: () => Promise<void>, graceMs = 0) => parts.push({ name, end, graceMs }),
    /** Idempotent. Resolves to whether every part ended cleanly. */
    run: () => {
      running ??= endAll();
      return running;
    },
  };
}
