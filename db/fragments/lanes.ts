import type { Lane } from '../../core/outbox-lanes.ts';

export const laneSql: Readonly<Record<Lane, string>> = {
  emails: `o.dead_at is null and o.kind = 'email.dispatch'`,
  work: `o.dead_at is null and o.kind <> 'email.dispatch'`,
};

/** Times are rounded to milliseconds, so a command due now may appear to be due half a millisecond later. */
export const isDueSql = `o.next_attempt_at <= now() + interval '1 ms'`;
