import { setTimeout as delay } from 'node:timers/promises';

/** The result of the work, or `undefined` when it takes longer. The work then continues without the caller. */
export async function orUndefinedAfter<Result>(
  ms: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const patience = new AbortController();
  try {
    return await Promise.race([work, delay(ms, undefined, patience)]);
  } finally {
    patience.abort();
  }
}
