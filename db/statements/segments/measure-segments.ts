import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

const sizeRow = z.object({ segments: z.int(), conditionBytes: z.int() });

/**
 * How many segments a project has and how much text their conditions take, without segment `except`. A statement,
 * because it sums up.
 */
export function measureSegments(em: Em, projectId: string, except: string | null) {
  const sql = `select count(*)::int as segments,
       coalesce(sum(octet_length(condition::text)), 0)::int as "conditionBytes"
     from segments where project_id = $1 and id is distinct from $2`;
  return queryRow(em, sizeRow, sql, [projectId, except]);
}
