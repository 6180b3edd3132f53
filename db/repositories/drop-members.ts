import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import { lockSegment } from './segments.ts';

const rowsPerBatch = 10_000;

/**
 * Deletes some of the member rows that a segment has no use for any more: because it is gone, or dynamic and not
 * tracked. Has to run in a transaction of its own: the lock keeps a segment that is tracked again from losing rows.
 *
 * @returns whether there may be more
 */
export async function dropMembersBatch(em: Em, projectId: string, segmentId: string): Promise<boolean> {
  const segment = await lockSegment(em, projectId, segmentId);
  if (segment !== undefined && (segment.type === 'STATIC' || segment.trackMembership)) return false;
  const rows = await sql(
    em,
    `delete from segment_members
     where segment_id = $1 and contact_id in (select contact_id from segment_members where segment_id = $1 limit $2)
     returning 1`,
    [segmentId, rowsPerBatch],
  );
  return rows.length === rowsPerBatch;
}
