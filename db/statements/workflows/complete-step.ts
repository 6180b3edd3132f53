import type { Pause } from '../../../core/workflows/endless.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

export interface StepEnd {
  executionId: string;
  visit: number;
  branch?: string | null;
  output?: Record<string, unknown> | null;
  error?: string;
  context?: Record<string, unknown>;
  pause?: Pause | undefined;
}

/**
 * Completes a step run. A compare-and-set, because an event may have ended it. The caller has locked the execution.
 */
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
