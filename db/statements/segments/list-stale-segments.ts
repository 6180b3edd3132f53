import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const staleRow = z.object({ projectId: z.uuid(), segmentId: z.uuid() });

/**
 * Tracked segments that have to be computed in full: the oldest of each project, then the second of each, and so on. A
 * statement, because it ranks them within their projects.
 *
 * @param except ids left to a later round
 */
export function listStaleSegments(
  em: Em,
  except: readonly string[],
  limit: number,
): Promise<z.output<typeof staleRow>[]> {
  const sql = `select project_id as "projectId", id as "segmentId"
     from segments
     where track_membership and type = 'DYNAMIC' and not is_current and id <> all ($1::uuid[])
     order by row_number() over (partition by project_id order by id), id
     limit $2`;
  return query(em, staleRow, sql, [except, limit]);
}
