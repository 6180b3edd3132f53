import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { activeStatusesSql } from './workflow-executions.ts';

/** A step run whose call is made. */
export interface StepCall {
  executionId: string;
  visit: number;
}

/**
 * Notes that the call of a step goes out now. Until its outcome is noted, nobody knows whether it was answered.
 *
 * @returns false when it must not: the step or the execution is over, or another call is out
 */
export async function noteCall(em: Em, { executionId, visit }: StepCall): Promise<boolean> {
  const rows = await sql(
    em,
    `with held as materialized (
       select id from workflow_executions
       where id = $1 and visit = $2 and status in ${activeStatusesSql}
       for no key update
     )
     update workflow_step_runs r
     set called_at = clock_timestamp()
     from held h
     where r.execution_id = h.id and r.visit = $2 and r.completed_at is null and r.called_at is null
     returning 1`,
    [executionId, visit],
  );
  return rows.length > 0;
}

/** Notes that the call of a step had no answer that counts, so that it can be made again. */
export async function noteFailedCall(em: Em, { executionId, visit }: StepCall): Promise<void> {
  await sql(
    em,
    `update workflow_step_runs set called_at = null
     where execution_id = $1 and visit = $2 and completed_at is null`,
    [executionId, visit],
  );
}
