import type { Audience } from '../conditions/audience.ts';
import { bindInto } from '../conditions/bind.ts';
import type { ContactRow } from '../entities/contact.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import { contactColumns } from './contacts.ts';

/** How many contacts of the project belong to an audience right now. */
export async function countAudience(em: Em, projectId: string, audience: Audience): Promise<number> {
  const parameters: unknown[] = [projectId];
  const where = audience.where(new Date(), bindInto(parameters));
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from contacts c where c.project_id = $1 and ${where}`,
    parameters,
  );
  return row?.count ?? 0;
}

/**
 * A page of an audience, newest first. It stops at the end of the page, so it costs as much as it takes to find that
 * many contacts.
 */
export function listAudience(
  em: Em,
  projectId: string,
  audience: Audience,
  { limit, offset }: { limit: number; offset: number },
): Promise<ContactRow[]> {
  const parameters: unknown[] = [projectId, limit, offset];
  const where = audience.where(new Date(), bindInto(parameters));
  return sql(
    em,
    `select ${contactColumns} from contacts c where c.project_id = $1 and ${where}
     order by c.created_at desc, c.id desc limit $2 offset $3`,
    parameters,
  );
}

/**
 * Keeps a count of members. A count is thrown away when the condition or the figure was changed while it was made.
 *
 * @param segment as it was read before the count began
 */
export async function storeMemberCount(
  em: Em,
  segment: { id: string; updatedAt: Date; countedAt: Date | null },
  count: number,
): Promise<void> {
  await sql(
    em,
    `update segments set member_count = $2, counted_at = now()
     where id = $1 and updated_at = $3 and counted_at is not distinct from $4`,
    [segment.id, count, segment.updatedAt, segment.countedAt],
  );
}
