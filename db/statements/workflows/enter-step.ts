import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

export interface StepEntry {
  executionId: string;
  visit: number;
  stepId: string;
  hops: number;
  /** Null pauses indefinitely; undefined does not pause. */
  pauseMs?: number | null;
}

/**
 * Adds a step run and moves the execution to the step, by the database's clock. The caller has locked the execution.
 */
export async function enterStep(em: Em, entry: StepEntry): Promise<void> {
  const { executionId, visit, stepId, hops, pauseMs } = entry;
  const sql = `with run as (
       insert into workflow_step_runs (execution_id, visit, step_id, started_at)
       values ($1, $2, $3, clock_timestamp())
     )
     update workflow_executions
     set visit = $2, current_step_id = $3, status = $4,
       resume_at = clock_timestamp() + make_interval(secs => $5::float8 / 1000),
       hops = $6::smallint, paused_visit = coalesce(paused_visit, $2 - 1)
     where id = $1`;
  const status = pauseMs === undefined ? 'RUNNING' : 'WAITING';
  await execute(em, sql, [executionId, visit, stepId, status, pauseMs ?? null, hops]);
}
