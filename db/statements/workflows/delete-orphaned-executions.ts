import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { deleteExecutions } from './delete-executions.ts';

/**
 * Deletes the remains of deleted workflows, found by their versions, which are deleted last. Returns the number of
 * such workflows.
 */
export async function deleteOrphanedExecutions(em: Em): Promise<number> {
  const orphaned = await query(
    em,
    z.object({ id: z.uuid() }),
    `select distinct v.workflow_id as id from workflow_versions v
     where not exists (select from workflows w where w.id = v.workflow_id)`,
  );
  for (const { id } of orphaned) await deleteExecutions(em, id);
  return orphaned.length;
}
