import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const rowsPerBatch = 10_000;

/**
 * Deletes member rows of a segment that was deleted, or is dynamic and untracked, in short transactions that release
 * the segment's lock in between.
 *
 * @param batches maximum number of transactions; `dropOrphanedMembers` deletes the rest
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

/** Holds the segment's lock, so that a segment that becomes tracked again loses no new rows. */
async function dropBatch(em: Em, projectId: string, segmentId: string): Promise<boolean> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const segment = await em.findOne(Segment, { id: segmentId, projectId }, { lockMode });
  if (segment !== null && (segment.type === 'STATIC' || segment.trackMembership)) return false;
  const deleted = await execute(
    em,
    `delete from segment_members
     where segment_id = $1
       and contact_id = any(array(select contact_id from segment_members where segment_id = $1 limit $2))`,
    [segmentId, rowsPerBatch],
  );
  return deleted === rowsPerBatch;
}

/**
 * Deletes member rows that no segment needs, left by a crash or by a bounded `dropMembers`.
 *
 * @returns the number of segments that had such rows
 */
export async function dropOrphanedMembers(em: Em): Promise<number> {
  // Skips from segment to segment in the primary key instead of reading every row.
  const orphaned = await query(
    em,
    z.object({ id: z.uuid(), projectId: z.uuid() }),
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
