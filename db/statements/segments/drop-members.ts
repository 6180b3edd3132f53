import { z } from 'zod';
import type { InTurn } from '../../../core/in-turn.ts';
import { nilId } from '../../../core/nil-id.ts';
import { lockedOfAllProjects } from '../../entities/project-em.ts';
import { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const rowsPerBatch = 10_000;

/**
 * Deletes member rows of a segment that was deleted, or is dynamic and untracked, in short transactions that release
 * the segment's lock in between.
 *
 * @param batches maximum number of transactions; a sweep deletes the rest
 * @param inTurn runs a transaction when it is the project's turn
 * @returns whether there may be more
 */
export async function dropMembers(
  em: Em,
  projectId: string,
  segmentId: string,
  batches: number,
  inTurn: InTurn = (drop) => drop(),
): Promise<boolean> {
  for (let batch = 0; batch < batches; batch += 1) {
    const hasMore = await inTurn(() =>
      em.fork().transactional((inner) => dropBatch(inner, projectId, segmentId)),
    );
    if (!hasMore) return false;
  }
  return true;
}

/** Holds the segment's lock, so that a segment that becomes tracked again loses no new rows. */
async function dropBatch(em: Em, projectId: string, segmentId: string): Promise<boolean> {
  const segment = await em.findOne(Segment, { id: segmentId, projectId }, lockedOfAllProjects);
  if (segment !== null && (segment.type === 'STATIC' || segment.trackMembership)) return false;
  const sql = `delete from segment_members
     where segment_id = $1
       and contact_id = any(array(select contact_id from segment_members where segment_id = $1 limit $2))`;
  const deleted = await execute(em, sql, [segmentId, rowsPerBatch]);
  return deleted === rowsPerBatch;
}

const ownerRow = z.object({ id: z.uuid(), projectId: z.uuid(), isOrphaned: z.boolean() });

/**
 * Segments with member rows, by id. Rows are orphaned when no segment needs them: a crash or a bounded drop left them.
 */
export function listMemberOwners(em: Em, after: string | null, limit: number) {
  // Skips from segment to segment in the primary key instead of reading every row.
  const sql = `with recursive listed (id, n) as (
       (select segment_id, 1 from segment_members where segment_id > $1 order by segment_id limit 1)
       union all
       (select m.segment_id, l.n + 1
        from listed l
        cross join lateral (select segment_id from segment_members
          where segment_id > l.id order by segment_id limit 1) m
        where l.n < $2)
     )
     select l.id, coalesce(s.project_id, l.id) as "projectId",
       s.id is null or (s.type = 'DYNAMIC' and not s.track_membership) as "isOrphaned"
     from listed l
     left join segments s on s.id = l.id
     order by l.id`;
  return query(em, ownerRow, sql, [after ?? nilId, limit]);
}
