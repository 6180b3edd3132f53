import { setTimeout as delay } from 'node:timers/promises';

/** Repeats work that fails, after each of the pauses. @throws the last error */
export async function withRetries<Result>(
  pausesMs: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch {
      await delay(pauseMs);
    }
  }
  return work();
}
