import type { ContactRow } from '../entities/contact.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';

/** Columns of a `ContactRow`. */
export const contactColumns = `id, project_id as "projectId", email, subscribed, snoozed_until as "snoozedUntil", data,
  suppression_reason as "suppressionReason", suppressed_at as "suppressedAt",
  suppressed_email_id as "suppressedEmailId", created_at as "createdAt", updated_at as "updatedAt"`;

export interface ContactFilter {
  /** Part of the address, in lower case. */
  search: string | undefined;
  subscribed: boolean | undefined;
}

export interface ContactOrder {
  by: 'email' | 'createdAt';
  direction: 'asc' | 'desc';
}

/** The order's value and the id of the last contact of the page before. */
export interface ContactPosition {
  value: string;
  id: string;
}

/** Conditions and their parameters, numbered from 1. */
function conditions(projectId: string, filter: ContactFilter): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [projectId];
  let where = 'project_id = $1';
  if (filter.search !== undefined) {
    parameters.push(filter.search);
    where += ` and position($${parameters.length} in email) > 0`;
  }
  if (filter.subscribed !== undefined) {
    parameters.push(filter.subscribed);
    where += ` and subscribed = $${parameters.length}`;
  }
  return { where, parameters };
}

/** A page of the project's contacts by keyset, at most `limit`. */
export function listContacts(
  em: Em,
  projectId: string,
  filter: ContactFilter,
  order: ContactOrder,
  after: ContactPosition | undefined,
  limit: number,
): Promise<ContactRow[]> {
  const { where, parameters } = conditions(projectId, filter);
  const column = order.by === 'email' ? 'email' : 'created_at';
  const direction = order.direction === 'asc' ? 'asc' : 'desc';
  let keyset = '';
  if (after !== undefined) {
    parameters.push(after.value, after.id);
    const type = order.by === 'email' ? 'text' : 'timestamptz';
    const comparison = direction === 'asc' ? '>' : '<';
    keyset = ` and (${column}, id) ${comparison} ($${parameters.length - 1}::${type}, $${parameters.length}::uuid)`;
  }
  parameters.push(limit);
  return sql(
    em,
    `select ${contactColumns} from contacts where ${where}${keyset}
     order by ${column} ${direction}, id ${direction} limit $${parameters.length}`,
    parameters,
  );
}

export async function countContacts(em: Em, projectId: string, filter: ContactFilter): Promise<number> {
  const { where, parameters } = conditions(projectId, filter);
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from contacts where ${where}`,
    parameters,
  );
  return row?.count ?? 0;
}

export async function findContact(em: Em, projectId: string, id: string): Promise<ContactRow | undefined> {
  const [row] = await sql<ContactRow>(
    em,
    `select ${contactColumns} from contacts where project_id = $1 and id = $2`,
    [projectId, id],
  );
  return row;
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
