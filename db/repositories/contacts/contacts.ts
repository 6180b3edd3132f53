import type { ContactRow } from '../../entities/contact.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Columns of a `ContactRow`. */
export const contactColumns = `id, project_id as "projectId", email, subscribed, snoozed_until as "snoozedUntil", data,
  suppression_reason as "suppressionReason", suppressed_at as "suppressedAt",
  suppressed_email_id as "suppressedEmailId", created_at as "createdAt", updated_at as "updatedAt"`;

export async function findContact(em: Em, projectId: string, id: string): Promise<ContactRow | undefined> {
  const [row] = await sql<ContactRow>(
    em,
    `select ${contactColumns} from contacts where project_id = $1 and id = $2`,
    [projectId, id],
  );
  return row;
}

/** Which of these normalised addresses the project has contacts for, in no order. */
export function findKnownEmails(
  em: Em,
  projectId: string,
  emails: readonly string[],
): Promise<{ email: string }[]> {
  return sql(em, 'select email from contacts where project_id = $1 and email = any($2::text[])', [
    projectId,
    emails,
  ]);
}

/** Addresses of contacts by id; contacts that are gone are missing. */
export async function findContactEmails(
  em: Em,
  projectId: string,
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; email: string }>(
    em,
    'select id, email from contacts where project_id = $1 and id = any($2::uuid[])',
    [projectId, ids],
  );
  return new Map(rows.map((row) => [row.id, row.email]));
}

/**
 * Removes a contact and what belongs to it. Its emails stay for the figures, without an address; those that have
 * not left are cancelled. So do its executions, without data; those that are under way are cancelled, with commands
 * for Temporal.
 * @returns whether there was such a contact
 */
export async function deleteContact(em: Em, projectId: string, id: string): Promise<boolean> {
  return (await deleteContacts(em, projectId, [id])).length > 0;
}

const deleteSql = `
with execution_held as materialized (
  -- First the execution and then what it listens to, as its own steps lock them; events lock listeners alone.
  select x.id, x.contact_id, x.status in ('RUNNING', 'WAITING') as is_active
  from workflow_executions x
  where x.contact_id = any($2::uuid[]) and x.project_id = $1
  order by x.id
  for no key update
),
email_held as materialized (
  -- First the emails and then the contacts, as the provider's events lock them.
  select e.id, e.contact_id
  from emails e
  where e.contact_id = any($2::uuid[]) and e.project_id = $1 and (select count(*) from execution_held) >= 0
  order by e.id
  for no key update
),
held as materialized (
  -- In the order in which every statement locks contacts.
  select c.id
  from contacts c
  where c.project_id = $1 and c.id = any($2::uuid[]) and (select count(*) from email_held) >= 0
  order by c.project_id, c.email
  for update
),
removed as (
  delete from contacts c using held h where c.id = h.id returning c.id
),
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
  insert into outbox (id, kind, subject_id, contact_id)
  select uuidv7(), 'execution.cancel', id, contact_id from execution where is_active
),
email as (
  update emails e
  set contact_id = null, to_email = '', to_name = null,
    status = case when e.status = 'QUEUED' then 'CANCELLED' else e.status end
  from email_held h
  where e.id = h.id and h.contact_id in (select id from removed)
)
select id from removed`;

/** As `deleteContact` for many; answers the ids of those that there were. */
export async function deleteContacts(em: Em, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(em, deleteSql, [projectId, ids]);
  return rows.map((row) => row.id);
}
