import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { lockSegment } from './segments.ts';

const rowsPerBatch = 10_000;

/**
 * Deletes the member rows that a segment has no use for any more, because it is gone, or dynamic and not tracked: in
 * short transactions, and without a segment lock between them.
 *
 * @param batches most transactions; what they leave is left to `dropOrphanedMembers`
 */
export async function dropMembers(
  em: Em,
  projectId: string,
  segmentId: string,
  batches = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const hasMore = await em.fork().transactional((inner) => dropBatch(inner, projectId, segmentId));
    if (!hasMore) return;
  }
}

/** The lock keeps a segment that is tracked again meanwhile from losing new rows. */
async function dropBatch(em: Em, projectId: string, segmentId: string): Promise<boolean> {
  const segment = await lockSegment(em, projectId, segmentId);
  if (segment !== undefined && (segment.type === 'STATIC' || segment.trackMembership)) return false;
  const rows = await sql(
    em,
    `delete from segment_members
     where segment_id = $1
       and contact_id = any(array(select contact_id from segment_members where segment_id = $1 limit $2))
     returning 1`,
    [segmentId, rowsPerBatch],
  );
  return rows.length === rowsPerBatch;
}

/**
 * Deletes the member rows that no segment has a use for: left by a process that ended in the middle, or too many to
 * be deleted while a caller waits.
 *
 * @returns how many segments had such rows
 */
export async function dropOrphanedMembers(em: Em): Promise<number> {
  // Jumps from segment to segment in the primary key instead of reading every row.
  const orphaned = await sql<{ id: string; projectId: string }>(
    em,
    `with recursive listed (id) as (
       (select segment_id from segment_members order by segment_id limit 1)
       union all
       select (select m.segment_id from segment_members m where m.segment_id > l.id order by m.segment_id limit 1)
       from listed l where l.id is not null
     )
     select l.id, coalesce(s.project_id, l.id) as "projectId"
     from listed l
     left join segments s on s.id = l.id
     where l.id is not null and (s.id is null or (s.type = 'DYNAMIC' and not s.track_membership))`,
  );
  for (const { id, projectId } of orphaned) await dropMembers(em, projectId, id);
  return orphaned.length;
}
