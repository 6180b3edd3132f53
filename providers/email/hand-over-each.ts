import pMap from 'p-map';
import type { HandOver, OutgoingEmail, Stop } from './email-provider.ts';

const concurrency = 8;

export const notBegun = { outcome: 'later', reason: 'the run was stopped', retryInMs: 0 } satisfies HandOver;

export function handOverEach(
  emails: readonly OutgoingEmail[],
  stop: Stop,
  handOver: (email: OutgoingEmail) => Promise<HandOver>,
): Promise<HandOver[]> {
  return pMap(emails, async (email) => (stop.aborted ? notBegun : handOver(email)), { concurrency });
}
