import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import { amongKeysSql, joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { execute, queryColumn } from '../../sql.ts';
import {
  forgetContactSql,
  forgetInExecutionSql,
  lockBelongingsSql,
  removeBelongingsSql,
} from './contact-belongings-sql.ts';

const lockSql = `with ${lockBelongingsSql} select count(*) from listener_held`;

const deleteSql = `
with ${lockBelongingsSql},
removed as (
  delete from contacts c using held h where c.id = h.id returning c.id
),
erasure as (
  insert into contact_erasures (contact_id, project_id) select id, $1 from removed
),
${removeBelongingsSql}
select id from removed`;

/**
 * Deletes contacts and their data. Emails and executions stay for the figures, without address, subject and data; queued
 * emails and active executions are canceled. Records the contacts in `contact_erasures`: their journal rows, and rows that
 * concurrent transactions write, are erased later from Postgres and ClickHouse.
 *
 * @param em in a transaction
 * @returns the ids that existed
 */
export async function deleteContacts(em: Em, projectId: string, ids: readonly string[]): Promise<string[]> {
  // Locks in a separate statement, so that the next one sees everything committed by the transactions it waited for.
  await execute(em, lockSql, [projectId, ids]);
  return queryColumn(em, z.uuid(), deleteSql, [projectId, ids]);
}

const rowsAtOnce = 2_000;

/**
 * Finds up to 2,000 rows by the index of contacts, whatever their share of the table: the order of the locks would suggest
 * the primary key.
 */
const foundSql = (source: string, where: string) => `
found as materialized (
  select r.id
  from unnest($2::uuid[]) k (id)
  cross join lateral (${joinByKeySql(`${source} where contact_id = k.id and ${where}`)}) r
  limit ${rowsAtOnce}
)`;

const hasEndedSql = `x.project_id = $1 and x.status not in ${activeStatusesSql}`;
/** The others keep the contact from entering again, and are few. */
const mayEnterAgainSql =
  'exists (select from workflows w where w.id = x.workflow_id and w.allow_reentry offset 0)';

const forgetInExecutionsSql = `
with ${foundSql('workflow_executions x', `${hasEndedSql} and ${mayEnterAgainSql}`)},
ended as materialized (
  select x.id from workflow_executions x
  where ${amongKeysSql('x.id', 'select id from found')} and ${hasEndedSql}
  -- In the common lock order of executions.
  order by x.id
  for no key update
),
step_run as (
  update workflow_step_runs r set output = null
  where ${amongKeysSql('r.execution_id', 'select id from ended')} and r.output is not null
)
update workflow_executions x set ${forgetInExecutionSql}
where ${amongKeysSql('x.id', 'select id from ended')}`;

const hasOutcomeSql = `e.project_id = $1 and e.campaign_id is null and e.status not in ('QUEUED', 'SENDING', 'UNKNOWN')`;

const forgetInEmailsSql = `
with ${foundSql('emails e', hasOutcomeSql)},
ended as materialized (
  select e.id from emails e
  where ${amongKeysSql('e.id', 'select id from found')} and ${hasOutcomeSql}
  -- In the common lock order of emails.
  order by e.id
  for no key update
)
update emails e set ${forgetContactSql}
where ${amongKeysSql('e.id', 'select id from ended')}`;

/**
 * Erases contacts that are about to be deleted from up to 2,000 of their executions that have ended, then of their emails
 * whose outcome is known. Call it until none are left: `deleteContacts` locks all the rest at once, which would take
 * seconds, or longer than a statement may, for a contact with very many. Leaves emails of campaigns, of which a contact has
 * few: a freeze knows its recipients by them.
 *
 * @param em outside of a transaction
 * @returns whether there may be more
 */
export async function forgetInEnded(em: Em, projectId: string, ids: readonly string[]): Promise<boolean> {
  for (const sql of [forgetInExecutionsSql, forgetInEmailsSql]) {
    if ((await execute(em, sql, [projectId, ids])) === rowsAtOnce) return true;
  }
  return false;
}
