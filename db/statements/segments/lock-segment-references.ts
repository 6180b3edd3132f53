import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, queryColumn } from '../../sql.ts';

/**
 * Serializes changes of references to segments and campaigns within a project. Take it before storing a reference and
 * reading its segment or campaign, and before deleting one and reading its references. An advisory lock, because there is no row to lock.
 */
export async function lockSegmentReferences(em: Em, projectId: string): Promise<void> {
  const sql = `select pg_advisory_xact_lock(hashtextextended('segment references ' || $1, 0))`;
  await execute(em, sql, [projectId]);
}

/**
 * Locks a segment and all segments whose conditions lead to it, because changing its condition marks them as stale
 * (`mark_referring_segments_stale`). In id order, as rounds lock segments. Requires a transaction that holds the lock
 * on segment references.
 *
 * @returns their ids
 */
export function lockLeadingSegments(em: Em, projectId: string, segmentId: string): Promise<string[]> {
  const sql = `select id from segments
     where id in (
       with recursive referring (id) as (
         select $2::uuid
         union
         select s.id from referring r join segments s on s.project_id = $1 and s.refers_to @> array[r.id]
       )
       select id from referring)
     order by id for update`;
  return queryColumn(em, z.uuid(), sql, [projectId, segmentId]);
}
