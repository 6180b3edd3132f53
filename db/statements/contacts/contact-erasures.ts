import { z } from 'zod';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import type { Em } from '../../orm.ts';
import { columnsOf, execute, query, queryValue } from '../../sql.ts';
import { lockBelongingsSql, removeBelongingsSql } from './contact-belongings-sql.ts';

const eventsAtOnce = 5_000;

const removedSql = `
removed as (
  select gone.id from unnest($2::uuid[]) gone (id) where not exists (select from contacts c where c.id = gone.id)
)`;

const eraseSql = `with ${lockBelongingsSql}, ${removedSql}, ${removeBelongingsSql} select from removed_contact`;

const eraseEventsSql = `
with ${removedSql},
happened as materialized (
  select e.id, e.email_id is not null and e.name like 'email.%' and e.name <> 'email.received' as is_kept
  from removed r
  cross join lateral (
    select id, email_id, name from events e
    where e.project_id = $1 and e.contact_id = r.id and e.kind <> 'activity'
    union all
    select id, email_id, name from events e where e.contact_id = r.id and e.kind = 'activity'
  ) e
  limit ${eventsAtOnce}
),
kept as (
  update events e
  set contact_id = null,
    data = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(e.data) where key = any($3::text[]))
  where id = any(array(select id from happened where is_kept))
),
erased as (
  delete from events where id = any(array(select id from happened where not is_kept))
)
select count(*)::int as events from happened`;

/**
 * Erases the journal rows of deleted contacts, including those that concurrent transactions wrote during the deletion.
 * Events of their emails stay, without the contact. Idempotent. The events go in several statements: the journal's stream
 * stands still while one transaction is open.
 *
 * @param signal stops it between two statements
 * @returns the number of erased or anonymized events
 */
export async function eraseContactTraces(
  em: Em,
  projectId: string,
  contactIds: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  await execute(em, eraseSql, [projectId, contactIds]);
  for (let events = 0; ; ) {
    signal?.throwIfAborted();
    const erased = await queryValue(em, z.int(), eraseEventsSql, [projectId, contactIds, keptEmailData]);
    events += erased;
    if (erased < eventsAtOnce) return events;
  }
}

const erasureRow = z.object({ contactId: z.uuid(), projectId: z.uuid(), passedAt: z.date().nullable() });

export type DueErasure = z.output<typeof erasureRow>;

/** What is next in a pass: the part in Postgres, then the part in ClickHouse. */
export type ErasurePart = 'postgres' | 'clickhouse';

const isNextSql: Record<ErasurePart, string> = {
  postgres: 'cleared_at is null',
  clickhouse: 'cleared_at is not null',
};

/**
 * Up to `limit` erasures whose next part is this one and that have not passed, or passed before `passedBefore`. Projects
 * share the limit, so that one that deletes many contacts does not hold up the others; the oldest of a project come
 * first. Skips from project to project in an index, so the cost does not grow with the erasures that wait.
 *
 * @param except projects to leave out
 */
export function findErasures(
  em: Em,
  part: ErasurePart,
  passedBefore: Date,
  limit: number,
  except: readonly string[] = [],
): Promise<DueErasure[]> {
  const isDueSql = `${isNextSql[part]} and (passed_at is null or passed_at < $1)`;
  const projectSql = (condition: string) =>
    `select project_id from contact_erasures where ${isDueSql} and ${condition} order by project_id limit 1`;
  const sql = `with recursive project (id) as (
       (${projectSql('true')})
       union all
       select (${projectSql('project_id > p.id')}) from project p where p.id is not null
     ),
     due (id) as (select id from project where id <> all($3::uuid[]))
     select e.contact_id as "contactId", e.project_id as "projectId", e.passed_at as "passedAt"
     from due p
     cross join lateral (
       select contact_id, project_id, passed_at from contact_erasures
       where project_id = p.id and ${isDueSql}
       order by erased_at
       limit greatest(1, $2::int / (select count(id) from due))
     ) e
     limit $2::int`;
  return query(em, erasureRow, sql, [passedBefore, limit, except]);
}

/** Notes that contacts are erased from Postgres, unless another run has ended the pass since. */
export async function noteCleared(em: Em, contactIds: readonly string[], passedBefore: Date): Promise<void> {
  const sql = `update contact_erasures set cleared_at = clock_timestamp()
     where contact_id = any($1::uuid[]) and (passed_at is null or passed_at < $2)`;
  await execute(em, sql, [contactIds, passedBefore]);
}

/**
 * Ends a pass of erasures; after the second one they are over.
 *
 * @returns how many passed for the first time
 */
export async function notePass(em: Em, erasures: readonly DueErasure[]): Promise<number> {
  const { first = [], again = [] } = Object.groupBy(erasures, ({ passedAt }) =>
    passedAt ? 'again' : 'first',
  );
  const firstSql = `update contact_erasures set passed_at = clock_timestamp(), cleared_at = null
     where contact_id = any($1::uuid[]) and passed_at is null`;
  await execute(em, firstSql, columnsOf(first, 'contactId'));
  const againSql = 'delete from contact_erasures where contact_id = any($1::uuid[])';
  await execute(em, againSql, columnsOf(again, 'contactId'));
  return first.length;
}

/**
 * Whether every transaction that was open at `instant` has ended. New transactions then see everything committed up to
 * that instant, including rows written by concurrent transactions that did not see the change.
 */
export function haveTransactionsEnded(em: Em, instant: Date): Promise<boolean> {
  const sql = `select not exists (select from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and xact_start <= $1)`;
  return queryValue(em, z.boolean(), sql, [instant]);
}
