import { z } from 'zod';
import { nilId } from '../../../core/nil-id.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/** Workflows with versions, by id. Those of deleted workflows, whose versions are deleted last, are orphaned. */
export async function listVersionOwners(
  em: Em,
  after: string | null,
  limit: number,
): Promise<{ id: string; isOrphaned: boolean }[]> {
  const sql = `select v.workflow_id as id, w.id is null as "isOrphaned"
     from (select distinct workflow_id from workflow_versions
       where workflow_id > $1 order by workflow_id limit $2) v
     left join workflows w on w.id = v.workflow_id
     order by v.workflow_id`;
  return query(em, z.object({ id: z.uuid(), isOrphaned: z.boolean() }), sql, [after ?? nilId, limit]);
}
