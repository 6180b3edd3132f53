import { sendingCategories, sourceOfCategory } from '../../../core/billing/categories.ts';
import { commandsLeftChannel } from '../../database-listener.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import { appendFiguresSql, figureChangesSql } from '../../fragments/campaign-figures-sql.ts';
import { giveBackUsageSql } from '../../fragments/count-usage-sql.ts';

/**
 * CTEs that lock everything that belongs to the contacts $2 of the project $1, in the global lock order: executions,
 * emails, contacts, memberships, statistics, listeners. They define `execution_held (id, contact_id, is_active)`,
 * `email_held (id, contact_id)`, `held (id)` and `listener_held`; a query that reads the last one holds all locks.
 */
export const lockBelongingsSql = `
execution_held as materialized (
  select x.id, x.contact_id, x.status in ${activeStatusesSql} as is_active
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
),
member_held as materialized (
  select from segment_members m
  where m.contact_id = any($2::uuid[]) and (select count(*) from held) >= 0
  order by m.contact_id, m.segment_id
  for update
),
statistics_held as materialized (
  select from contact_event_stats s
  where s.project_id = $1 and s.contact_id = any($2::uuid[]) and (select count(*) from member_held) >= 0
  order by s.project_id, s.name, s.contact_id
  for update
),
listener_held as materialized (
  select from event_listeners l
  where l.execution_id = any(array(select id from execution_held)) and (select count(*) from statistics_held) >= 0
  order by l.id
  for update
)`;

/** In place of the provider's answer, which may contain the address. The log of failed emails finds them by a reason. */
export const erasedReason = 'not known any more: the contact was deleted';

/** Assignments that leave nothing in an email, alias `e`, that identifies its contact. */
export const forgetContactSql = `contact_id = null, to_email = '', to_name = null, subject = null,
    reason = case when e.reason is not null and e.status not in ('SUPPRESSED', 'CANCELLED') then '${erasedReason}' else e.reason end`;

/** Assignments that leave nothing in an execution that identifies its contact. */
export const forgetInExecutionSql = `contact_id = null, context = '{}', event = '{}', resume_at = null`;

const givenBackSql = sendingCategories
  .map((category) => {
    const cancelled = `select * from email where is_cancelled and source = '${sourceOfCategory[category]}'`;
    return `${category}_given_back as (${giveBackUsageSql(category, cancelled)})`;
  })
  .join(',\n');

/**
 * CTEs that follow `lockBelongingsSql` and a CTE `removed (id)` of some of its contacts, and remove their data from every
 * table but the journal. Emails and executions stay for the figures, without address, subject and data; queued emails and
 * active executions are canceled, and the usage of those emails is returned.
 */
export const removeBelongingsSql = `
removed_contact as materialized (
  select id from removed where (select count(*) from listener_held) >= 0
),
statistics as (
  delete from contact_event_stats where project_id = $1 and contact_id in (select id from removed_contact)
),
membership as (
  delete from segment_members where contact_id in (select id from removed_contact)
),
execution as (
  update workflow_executions x
  set ${forgetInExecutionSql},
    status = case when h.is_active then 'CANCELLED' else x.status end,
    completed_at = coalesce(x.completed_at, clock_timestamp())
  from execution_held h
  where x.id = h.id and h.contact_id in (select id from removed_contact)
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
execution_command as (
  insert into outbox (id, kind, subject_id, project_id, contact_id)
  select uuidv7(), 'execution.cancel', id, $1, contact_id from execution where is_active
  returning pg_notify('${commandsLeftChannel}', '')
),
received as (
  delete from inbound_emails where contact_id in (select id from removed_contact)
),
email as (
  update emails e
  set ${forgetContactSql},
    status = case when e.status = 'QUEUED' then 'CANCELLED' else e.status end
  from email_held h
  where e.id = h.id and h.contact_id in (select id from removed_contact)
  returning e.*, new.status <> old.status as is_cancelled, ${figureChangesSql()}
),
figures as (${appendFiguresSql('email')}
),
${givenBackSql}`;
