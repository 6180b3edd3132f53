import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { countEventsSql } from './upsert-contacts-sql.ts';

/** @param which of the contacts `c`; both statements below know the instant as $1 */
const endSql = (which: string) => `
with due as materialized (
  -- In the order in which every statement locks contacts.
  select c.id
  from contacts c
  where ${which} and c.snoozed_until <= $1::timestamptz
  order by c.project_id, c.email
  for no key update
),
ended as (
  update contacts c
  -- Whatever suppresses a contact ends its snooze too; should the two ever meet, the suppression wins.
  set subscribed = c.suppression_reason is null, snoozed_until = null, updated_at = $1::timestamptz
  from due
  where c.id = due.id
  returning new.id, new.project_id, not old.subscribed and new.subscribed as is_flipped
),
flip as (
  insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
  select uuidv7(), project_id, 'contact.subscribed', 'emitted', id, '{"reason": "snooze_expired"}', $1::timestamptz
  from ended
  where is_flipped
  returning id, project_id, name, contact_id, occurred_at
),
counted as (select * from flip),
${countEventsSql}
select is_flipped as "isFlipped" from ended`;

const endOneSql = endSql('c.id = $2');
// An array, because joined with a list the planner may go through all that is due for each of it.
const endDueSql = endSql(
  'c.id = any(array(select id from contacts where snoozed_until <= $1::timestamptz order by snoozed_until limit $2))',
);

/** `until`: when the snooze of the contact ends; null when nothing is snoozed, or when it has just ended. */
export interface EndedSnooze {
  isResubscribed: boolean;
  until: Date | null;
}

/**
 * Ends the snooze of a contact if its end is not after `now`: the contact is subscribed again, which is journaled.
 * Every other write to a subscription has cleared the snooze, so nobody who opted out, bounced or complained
 * meanwhile is brought back.
 */
export async function endSnooze(em: Em, contactId: string, now: Date): Promise<EndedSnooze> {
  const [ended] = await sql<{ isFlipped: boolean }>(em, endOneSql, [now, contactId]);
  if (ended !== undefined) return { isResubscribed: ended.isFlipped, until: null };
  const [row] = await sql<{ until: Date | null }>(
    em,
    'select snoozed_until as until from contacts where id = $1',
    [contactId],
  );
  return { isResubscribed: false, until: row?.until ?? null };
}

/** Ends up to `limit` snoozes whose end is not after `now`, the longest overdue first. @returns how many */
export async function endDueSnoozes(em: Em, now: Date, limit: number): Promise<number> {
  return (await sql(em, endDueSql, [now, limit])).length;
}
