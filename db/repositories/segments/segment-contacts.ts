import { type Audience, segmentAudience } from '../../conditions/audience.ts';
import { audienceSql } from '../../conditions/audience-statement.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { ContactRow } from '../../entities/contact.ts';
import type { SegmentRow } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { contactColumns } from '../contacts/contacts.ts';

/** How many contacts of the project belong to an audience right now. */
export async function countAudience(em: Em, projectId: string, audience: Audience): Promise<number> {
  const parameters: unknown[] = [projectId];
  const where = audience.where(new Date(), bindInto(parameters), 'all');
  const [row] = await audienceSql<{ count: number }>(
    em,
    'all',
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
  const where = audience.where(new Date(), bindInto(parameters), 'few');
  return audienceSql(
    em,
    'few',
    `select ${contactColumns} from contacts c where c.project_id = $1 and ${where}
     order by c.created_at desc, c.id desc limit $2 offset $3`,
    parameters,
  );
}

/**
 * Counts the members of a segment and keeps the figure, unless the condition or the figure was changed meanwhile.
 *
 * @param segment as it was read just now
 * @returns the number of members, 0 when the segment is gone
 */
export async function countMembers(
  em: Em,
  segment: Pick<SegmentRow, 'id' | 'projectId' | 'updatedAt' | 'countedAt'>,
): Promise<number> {
  const audience = await segmentAudience(em, segment.projectId, segment.id);
  if (audience === undefined) return 0;
  const count = await countAudience(em, segment.projectId, audience);
  await sql(
    em,
    `update segments set member_count = $2, counted_at = now()
     where id = $1 and updated_at = $3 and counted_at is not distinct from $4`,
    [segment.id, count, segment.updatedAt, segment.countedAt ?? null],
  );
  return count;
}
