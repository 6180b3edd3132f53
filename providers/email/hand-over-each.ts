import pMap from 'p-map';
import type { HandOver, OutgoingEmail } from './email-provider.ts';

const concurrency = 8;

/** What becomes of an email that was not begun because its run had to stop. */
export const notBegun: HandOver = { outcome: 'later', reason: 'the run had to stop', retryInMs: 0 };

/** Hands emails over one by one, a few at a time, until `signal` is aborted. */
export function handOverEach(
  emails: readonly OutgoingEmail[],
  signal: AbortSignal,
  handOver: (email: OutgoingEmail) => Promise<HandOver>,
): Promise<HandOver[]> {
  return pMap(emails, async (email) => (signal.aborted ? notBegun : handOver(email)), { concurrency });
}
