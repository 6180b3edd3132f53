import { z } from 'zod';
import { linkWaitMinutes } from '../../../core/accounts/limits.ts';
import { linkPurposes } from '../../entities/link-request.ts';
import type { Em } from '../../orm.ts';
import { execute, query, queryFirst } from '../../sql.ts';

/** Times are rounded to milliseconds, so a request due now may appear to be due half a millisecond later. */
const isDueSql = `next_attempt_at <= now() + interval '1 ms'`;

const droppedRow = z.object({ lateUserId: z.uuid().nullable(), purpose: z.enum(linkPurposes) });

/**
 * Deletes due requests of addresses without an account, and those that have waited for too long. A statement, because a
 * flood leaves thousands.
 *
 * @returns a row per deleted request, at most `limit`; `lateUserId` is set where a user has waited for too long
 */
export function dropLinkRequests(em: Em, limit: number): Promise<z.output<typeof droppedRow>[]> {
  const isLate = `created_at < now() - make_interval(mins => ${linkWaitMinutes})`;
  const sql = `delete from link_requests r where r.id = any(array(
       select d.id from link_requests d
       where d.${isDueSql}
         and (d.${isLate}
           -- "not exists" would read all users for a flood.
           or (select u.id from users u where u.email = d.email) is null)
       order by d.next_attempt_at, d.id
       limit $1
       for update skip locked
     ))
     returning (select u.id from users u where r.${isLate} and u.email = r.email) as "lateUserId", r.purpose`;
  return query(em, droppedRow, sql, [limit]);
}

const takenRow = z.object({
  id: z.uuid(),
  email: z.string(),
  purpose: z.enum(linkPurposes),
  language: z.string(),
  userId: z.uuid(),
  emailVerified: z.boolean(),
});
export type TakenLinkRequest = z.output<typeof takenRow>;

/**
 * Must run in a transaction. Locks the oldest due request together with its user. A statement, because it skips requests
 * that another process has taken, and those whose user is locked: nothing here waits for a row.
 */
export function takeLinkRequest(em: Em): Promise<TakenLinkRequest | undefined> {
  const sql = `select r.id, r.email, r.purpose, r.language, u.id as "userId", u.email_verified as "emailVerified"
     from link_requests r
     join users u on u.email = r.email
     where r.${isDueSql}
     order by r.next_attempt_at, r.id
     limit 1
     for update of r skip locked
     for no key update of u skip locked`;
  return queryFirst(em, takenRow, sql);
}

/** The pause after a failure is as long as the request has waited so far, a second to a minute, by the database's clock. */
export async function putOffLinkRequest(em: Em, id: string): Promise<void> {
  const sql = `update link_requests
     set next_attempt_at = now() + greatest(interval '1 second', least(interval '1 minute', now() - created_at))
     where id = $1`;
  await execute(em, sql, [id]);
}
