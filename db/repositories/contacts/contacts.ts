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
