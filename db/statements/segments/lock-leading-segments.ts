import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Locks a segment and all segments whose conditions lead to it, because changing its condition marks them as stale
 * (`mark_referring_segments_stale`). In id order, as rounds lock segments. Requires a transaction that holds the lock
 * on segment references.
 */
export async function lockLeadingSegments(em: Em, projectId: string, segmentId: string): Promise<void> {
  const sql = `select from segments
     where id in (
       with recursive referring (id) as (
         select $2::uuid
         union
         select s.id from referring r join segments s on s.project_id = $1 and s.refers_to @> array[r.id]
       )
       select id from referring)
     order by id for update`;
  await execute(em, sql, [projectId, segmentId]);
}
