import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, queryValue } from '../../sql.ts';

const batchSize = 5_000;

/**
 * Deletes the executions of a deleted workflow in transactions of 5,000, and finally its versions.
 *
 * @param maxBatches maximum number of transactions; a sweep deletes the rest
 * @returns whether there may be more
 */
export async function deleteExecutions(em: Em, workflowId: string, maxBatches: number): Promise<boolean> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    if ((await deleteBatchOfExecutions(em, workflowId)) === batchSize) continue;
    await deleteVersions(em, workflowId);
    return false;
  }
  return true;
}

/** @returns the number deleted */
export function deleteBatchOfExecutions(em: Em, workflowId: string): Promise<number> {
  const sql = `with batch as materialized (
       select id from workflow_executions where workflow_id = $1
       order by workflow_id, started_at, id limit ${batchSize}
     ),
     runs as (delete from workflow_step_runs where execution_id = any(array(select id from batch))),
     gone as (delete from workflow_executions where id = any(array(select id from batch)) returning 1)
     select count(*)::int as deleted from gone`;
  return queryValue(em, z.int(), sql, [workflowId]);
}

async function deleteVersions(em: Em, workflowId: string): Promise<void> {
  const sql = `with templates as (delete from workflow_version_templates where workflow_id = $1)
     delete from workflow_versions where workflow_id = $1`;
  await execute(em, sql, [workflowId]);
}
