import type { SegmentRow } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

const trackedPerPage = 200;

/** The next tracked dynamic segments of all projects, in the order of their ids. */
export function listTrackedSegments(
  em: Em,
  after: string | null,
): Promise<{ projectId: string; segmentId: string }[]> {
  return sql(
    em,
    `select project_id as "projectId", id as "segmentId" from segments
     where track_membership and type = 'DYNAMIC' and ($1::uuid is null or id > $1)
     order by id limit ${trackedPerPage}`,
    [after],
  );
}

/** A segment as `countMembers` takes it. */
export type CountableSegment = Pick<SegmentRow, 'id' | 'projectId' | 'updatedAt' | 'countedAt'>;

/**
 * The segments whose count is the oldest, and older than `before`. Tracked dynamic ones are left out: their computation
 * counts them.
 */
export function listSegmentsToCount(em: Em, before: Date, limit: number): Promise<CountableSegment[]> {
  return sql(
    em,
    `select id, project_id as "projectId", updated_at as "updatedAt", counted_at as "countedAt" from segments
     where (counted_at is null or counted_at < $1) and not (track_membership and type = 'DYNAMIC')
     order by counted_at nulls first, id limit $2`,
    [before, limit],
  );
}

/** Leaves the figure of a segment for another time, so that it does not stand in the way of the others. */
export async function postponeCount(em: Em, id: string): Promise<void> {
  await sql(em, 'update segments set counted_at = now() where id = $1', [id]);
}
