import { z } from 'zod';
import { newId } from '../../../core/new-id.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { laterThanSql } from '../../fragments/later-than-sql.ts';
import { liftSuppressionSql } from '../../fragments/lift-suppression-sql.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const subscribeSql = `
with wanted as materialized (
  select * from unnest($2::uuid[], $3::uuid[]) as t(id, flip_id)
),
target as materialized (
  -- In the common lock order of contacts.
  select c.*
  from contacts c
  where c.project_id = $1 and c.id in (select id from wanted)
  order by c.project_id, c.email
  for no key update
),
changed as (
  update contacts c
  set subscribed = $4,
    snoozed_until = null,
    ${liftSuppressionSql('$4')},
    updated_at = ${laterThanSql('$5', 't.updated_at')}
  from target t
  where c.id = t.id and (t.subscribed <> $4 or t.snoozed_until is not null)
  returning new.id, new.project_id, old.subscribed <> new.subscribed as is_flipped
),
flip as (
  insert into events (id, project_id, name, kind, contact_id, occurred_at)
  select w.flip_id, c.project_id, case when $4 then 'contact.subscribed' else 'contact.unsubscribed' end, 'emitted',
    c.id, $5
  from changed c
  join wanted w on w.id = c.id
  where c.is_flipped
  returning id, project_id, name, contact_id, occurred_at
),
${countEventsSql(`select f.* from flip f, ${matchLimitSql('$6::text')} matches`)}
select t.id, t.id in (select id from changed) as "isChanged" from target t`;

const answerRow = z.object({ id: z.uuid(), isChanged: z.boolean() });

/**
 * Subscribes or unsubscribes contacts and journals each change, in one statement. Ends their snoozes; subscribing
 * also lifts suppressions.
 *
 * @param ids distinct
 * @returns the project's contacts among `ids`, and whether each changed
 * @throws pg.DatabaseError as `matchLimitSql`
 */
export function subscribeContacts(
  em: Em,
  projectId: string,
  ids: readonly string[],
  subscribed: boolean,
  occurredAt: Date,
) {
  const flipIds = ids.map(() => newId());
  const parameters = [projectId, ids, flipIds, subscribed, occurredAt, matchLimit(ids.length)];
  return query(em, answerRow, subscribeSql, parameters);
}
