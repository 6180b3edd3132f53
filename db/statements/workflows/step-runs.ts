import type { Pause } from '../../../core/workflows/endless.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
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

export interface StepEnd {
  executionId: string;
  visit: number;
  branch?: string | null;
  output?: Record<string, unknown> | null;
  error?: string;
  context?: Record<string, unknown>;
  pause?: Pause | undefined;
}

/** Completes a step run. A compare-and-set, because an event may have ended it. The caller has locked the execution. */
export async function completeStep(em: Em, end: StepEnd): Promise<void> {
  const sql = `with run as (
       update workflow_step_runs
       set branch = $3, output = $4::jsonb, error = $6, completed_at = clock_timestamp(),
         ended_after = accepted_by_now()
       where execution_id = $1 and visit = $2 and completed_at is null
     )
     update workflow_executions
     set status = 'RUNNING', resume_at = null, context = context || $5::jsonb,
       paused_visit = case when $7::text is null then paused_visit else $2 end,
       hops = case when $7 = 'chain' then 0 else hops end
     where id = $1`;
  await execute(em, sql, [
    end.executionId,
    end.visit,
    end.branch ?? null,
    end.output ? JSON.stringify(end.output) : null,
    JSON.stringify(end.context ?? {}),
    end.error ?? null,
    end.pause ?? null,
  ]);
}

/**
 * Records that a step's outbound call is being sent; until its outcome is recorded, the call may have been answered. A
 * compare-and-set on execution and step run, so that a call is sent once.
 *
 * @returns false when it must not be sent: the step or execution has ended, or another call is pending
 */
export async function recordCall(em: Em, executionId: string, visit: number): Promise<boolean> {
  const sql = `with locked as materialized (
       select id from workflow_executions
       where id = $1 and visit = $2 and status in ${activeStatusesSql}
       for no key update
     )
     update workflow_step_runs r
     set called_at = clock_timestamp()
     from locked l
     where r.execution_id = l.id and r.visit = $2 and r.completed_at is null and r.called_at is null`;
  const recorded = await execute(em, sql, [executionId, visit]);
  return recorded > 0;
}
