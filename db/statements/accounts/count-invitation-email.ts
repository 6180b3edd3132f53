import { z } from 'zod';
import { invitationsPerHour } from '../../../core/accounts/limits.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({ subject: z.string(), mails: z.int(), secondsLeft: z.int() });

/**
 * Counts an invitation email against the hourly limits of its address and of the inviting user, in a transaction. The
 * counters enforce the limits under their own row locks, so concurrent calls never exceed them.
 *
 * @returns seconds until the next hour if a limit is exceeded (the caller must then roll back), otherwise undefined
 */
export async function countInvitationEmail(
  em: Em,
  userId: string,
  email: string,
): Promise<number | undefined> {
  const sql = `insert into invitation_hours as counted (subject, hour, mails)
     select subject, date_trunc('hour', now()), 1 from unnest($1::text[]) subject order by subject
     on conflict (subject, hour) do update set mails = counted.mails + 1
     returning subject, mails,
       ceil(extract(epoch from hour + interval '1 hour' - now()))::int as "secondsLeft"`;
  const rows = await query(em, row, sql, [[userId, email]]);
  const { toAddress, byUser } = invitationsPerHour;
  return rows.find(({ subject, mails }) => mails > (subject === email ? toAddress : byUser))?.secondsLeft;
}
