import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const batchSize = 5_000;

/**
 * Deletes the executions of a deleted workflow in transactions of 5,000, and finally its versions.
 *
 * @param maxBatches a sweep deletes the rest
 * @returns whether there may be more
 */
export async function deleteExecutions(
  em: Em,
  workflowId: string,
  maxBatches = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const deleted = await query(
      em,
      z.object({ id: z.uuid() }),
      `with deleted as (
         delete from workflow_executions
         where workflow_id = $1
           and id = any(array(select id from workflow_executions where workflow_id = $1 limit ${batchSize}))
         returning id
       ),
       runs as (
         delete from workflow_step_runs r using deleted d where r.execution_id = d.id
       )
       select id from deleted`,
      [workflowId],
    );
    if (deleted.length < batchSize) {
      await deleteVersions(em, workflowId);
      return false;
    }
  }
  return true;
}

async function deleteVersions(em: Em, workflowId: string): Promise<void> {
  await execute(
    em,
    `with templates as (delete from workflow_version_templates where workflow_id = $1)
     delete from workflow_versions where workflow_id = $1`,
    [workflowId],
  );
}
