import { setTimeout as delay } from 'node:timers/promises';

/** What the work results in, or `undefined` when it takes longer. The work goes on; the caller does not wait for it. */
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
