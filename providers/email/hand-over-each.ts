import pMap from 'p-map';
import type { HandOver, OutgoingEmail } from './email-provider.ts';

const concurrency = 8;

export const notBegun: HandOver = { outcome: 'later', reason: 'the run was stopped', retryInMs: 0 };

export function handOverEach(
  emails: readonly OutgoingEmail[],
  signal: AbortSignal,
  handOver: (email: OutgoingEmail) => Promise<HandOver>,
): Promise<HandOver[]> {
  return pMap(emails, async (email) => (signal.aborted ? notBegun : handOver(email)), { concurrency });
}
