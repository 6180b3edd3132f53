import type { ContactRow } from '../entities/contact.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';

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
 * not left are cancelled.
 * @returns whether there was such a contact
 */
export async function deleteContact(em: Em, projectId: string, id: string): Promise<boolean> {
  return (await deleteContacts(em, projectId, [id])).length > 0;
}

const deleteSql = `
with email_held as materialized (
  -- First the emails and then the contacts, as the provider's events lock them.
  select e.id, e.contact_id
  from emails e
  where e.contact_id = any($2::uuid[]) and e.project_id = $1
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
