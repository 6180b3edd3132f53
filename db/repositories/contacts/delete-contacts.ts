import { type SendingCategory, sendingCategories } from '../../../core/billing/categories.ts';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import type { EmailSource } from '../../entities/email.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { giveBackUsageSql } from '../billing/usage.ts';
import { appendFiguresSql, figureChangesSql } from '../campaigns/campaign-figures.ts';

/**
 * What belongs to some contacts of a project, locked in the order in which every statement locks: executions, as
 * their own steps lock them before what they listen to; emails, as the provider's events lock them; contacts.
 */
const heldSql = `
execution_held as materialized (
  select x.id, x.contact_id, x.status in ('RUNNING', 'WAITING') as is_active
  from workflow_executions x
  where x.contact_id = any($2::uuid[]) and x.project_id = $1
  order by x.id
  for no key update
),
email_held as materialized (
  select e.id, e.contact_id
  from emails e
  where e.contact_id = any($2::uuid[]) and e.project_id = $1 and (select count(*) from execution_held) >= 0
  order by e.id
  for no key update
),
held as materialized (
  select c.id
  from contacts c
  where c.project_id = $1 and c.id = any($2::uuid[]) and (select count(*) from email_held) >= 0
  order by c.project_id, c.email
  for update
)`;

const lockSql = `with ${heldSql} select count(*) from held`;

const sources: Record<SendingCategory, EmailSource> = {
  transactional: 'TRANSACTIONAL',
  campaigns: 'CAMPAIGN',
  workflows: 'WORKFLOW',
};
const givenBackSql = sendingCategories
  .map((category) => {
    const cancelled = `select * from email where is_cancelled and source = '${sources[category]}'`;
    return `${category}_given_back as (${giveBackUsageSql(category, cancelled)})`;
  })
  .join(',\n');

/** Takes away what belongs to the contacts of `removed(id)`. */
const forgetSql = `
statistics as (
  delete from contact_event_stats where project_id = $1 and contact_id in (select id from removed)
),
membership as (
  delete from segment_members where contact_id in (select id from removed)
),
execution as (
  update workflow_executions x
  set contact_id = null, context = '{}', event = '{}', resume_at = null,
    status = case when h.is_active then 'CANCELLED' else x.status end,
    completed_at = coalesce(x.completed_at, clock_timestamp())
  from execution_held h
  where x.id = h.id and h.contact_id in (select id from removed)
  returning x.id, h.is_active, h.contact_id
),
step_run as (
  update workflow_step_runs r
  set output = null
  from execution x
  where r.execution_id = x.id and r.output is not null
),
listener as (
  delete from event_listeners l using execution x where l.execution_id = x.id
),
execution_told as (
  insert into outbox (id, kind, subject_id, project_id, contact_id)
  select uuidv7(), 'execution.cancel', id, $1, contact_id from execution where is_active
  returning pg_notify('commands_left', '')
),
received as (
  delete from inbound_emails where contact_id in (select id from removed)
),
email as (
  update emails e
  set contact_id = null, to_email = '', to_name = null,
    status = case when e.status = 'QUEUED' then 'CANCELLED' else e.status end
  from email_held h
  where e.id = h.id and h.contact_id in (select id from removed)
  returning e.*, new.status <> old.status as is_cancelled, ${figureChangesSql}
),
figures as (${appendFiguresSql('email')}
),
${givenBackSql}`;

const deleteSql = `
with ${heldSql},
removed as (
  delete from contacts c using held h where c.id = h.id returning c.id
),
erasure as (
  insert into contact_erasures (contact_id, project_id) select id, $1 from removed
),
${forgetSql}
select id from removed`;

/**
 * Removes contacts and what belongs to them. Their emails stay for the figures, without an address; those that have
 * not left are cancelled, and are not consumed. So do their executions, without data; those that are under way are cancelled, with commands
 * for Temporal. What happened to them is erased later, from the journal and from ClickHouse, as is what others wrote
 * for them meanwhile: `contact_erasures` says of whom.
 *
 * @param em in a transaction
 * @returns the ids of those that there were
 */
export async function deleteContacts(em: Em, projectId: string, ids: readonly string[]): Promise<string[]> {
  // In a statement of its own: the next one sees what those have committed that this one has to wait for.
  await sql(em, lockSql, [projectId, ids]);
  const rows = await sql<{ id: string }>(em, deleteSql, [projectId, ids]);
  return rows.map((row) => row.id);
}

const eraseSql = `
with ${heldSql},
removed as (
  select id from unnest($2::uuid[]) id where not exists (select from held h where h.id = id)
),
${forgetSql},
happened as materialized (
  select e.id, e.email_id is not null and e.name like 'email.%' and e.name <> 'email.received' as is_kept
  from removed r
  cross join lateral (
    select id, email_id, name from events e
    where e.project_id = $1 and e.contact_id = r.id and e.kind <> 'activity'
    union all
    select id, email_id, name from events e where e.contact_id = r.id and e.kind = 'activity'
  ) e
),
kept as (
  update events e
  set contact_id = null,
    data = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(e.data) where key = any($3::text[]))
  where id = any(array(select id from happened where is_kept))
),
gone as (
  delete from events where id = any(array(select id from happened where not is_kept))
)
select count(*)::int as events from happened`;

/**
 * Takes away what was written for contacts in the moment of their deletion, and what happened to them; what became of
 * their emails stays, without the contact. Can be repeated.
 * @returns how many events there were
 */
export async function eraseContactTraces(
  em: Em,
  projectId: string,
  contactIds: readonly string[],
): Promise<number> {
  const [row] = await sql<{ events: number }>(em, eraseSql, [projectId, contactIds, keptEmailData]);
  return row?.events ?? 0;
}
