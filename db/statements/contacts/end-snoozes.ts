import { z } from 'zod';
import { Contact } from '../../entities/contact.ts';
import { allProjects } from '../../entities/project-em.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { laterThanSql } from '../../fragments/later-than-sql.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import type { Em } from '../../orm.ts';
import { query, queryFirst } from '../../sql.ts';

const endSql = (which: string, matches: string, locked: '' | 'skip locked' = '') => `
with due as materialized (
  -- In the common lock order of contacts.
  select c.id
  from contacts c
  where ${which}
  order by c.project_id, c.email
  for no key update ${locked}
),
ended as (
  update contacts c
  -- A suppression ends a snooze; if both are set, the suppression wins.
  set subscribed = c.suppression_reason is null, snoozed_until = null,
    updated_at = ${laterThanSql('$1', 'c.updated_at')}
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
${countEventsSql(`select f.* from flip f, ${matchLimitSql(matches)} matches`)}
select is_flipped as "isFlipped" from ended`;

const endOneSql = endSql('c.id = $2 and c.snoozed_until <= $1::timestamptz', `'${matchLimit(1)}'`);
// An array, because with a join the planner may scan all due contacts once per id.
const endDueSql = endSql(
  `c.id = any(array(select id from contacts where snoozed_until <= $2::timestamptz order by snoozed_until limit $3))
    and c.snoozed_until <= $2::timestamptz`,
  '$4::text',
  'skip locked',
);

const endedRow = z.object({ isFlipped: z.boolean() });

/**
 * Ends the contact's snooze unless it lasts beyond `now`, resubscribes the contact and journals the change. Every other
 * write to a subscription clears the snooze, so a contact that opted out, bounced or complained meanwhile is not
 * resubscribed.
 */
export async function endSnooze(em: Em, contactId: string, now: Date) {
  const ended = await queryFirst(em, endedRow, endOneSql, [now, contactId]);
  if (ended !== undefined) return { isResubscribed: ended.isFlipped, until: null };
  const contact = await em.findOne(Contact, { id: contactId }, { fields: ['snoozedUntil'], ...allProjects });
  return { isResubscribed: false, until: contact?.snoozedUntil ?? null };
}

/**
 * Ends up to `limit` snoozes that were due at `dueBy`, longest overdue first, and returns their number. Skips locked
 * contacts, so that no project waits for another's long transaction.
 *
 * @throws pg.DatabaseError as `matchLimitSql`, if `limit` exceeds 1
 */
export async function endDueSnoozes(em: Em, now: Date, dueBy: Date, limit: number): Promise<number> {
  return (await query(em, endedRow, endDueSql, [now, dueBy, limit, matchLimit(limit)])).length;
}
