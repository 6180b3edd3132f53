import type { FinalStatus } from '../../../core/workflows/execution-status.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

export interface ExecutionEnd {
  status: FinalStatus;
  exitReason?: string | null;
  error?: string;
}

/**
 * Ends an active execution: its step run, its listener, and a feed row if it completed or exited. A compare-and-set
 * on the status. The caller has locked the execution.
 */
export async function endExecution(em: Em, id: string, end: ExecutionEnd): Promise<void> {
  const sql = `with ended as (
       update workflow_executions
       set status = $2, exit_reason = $3, error = $4, resume_at = null, completed_at = clock_timestamp()
       where id = $1 and status in ${activeStatusesSql}
       returning id, project_id, workflow_id, contact_id, visit
     ),
     run as (
       update workflow_step_runs r
       set error = $4, completed_at = clock_timestamp()
       from ended e
       where $4::text is not null and r.execution_id = e.id and r.visit = e.visit and r.completed_at is null
     ),
     listener as (
       delete from event_listeners l using ended e where l.execution_id = e.id
     )
     insert into events (id, project_id, name, kind, contact_id, workflow_id, data, occurred_at)
     select uuidv7(), e.project_id, 'workflow.completed', 'activity', e.contact_id, e.workflow_id,
       jsonb_strip_nulls(jsonb_build_object('workflowId', e.workflow_id, 'workflowName', w.name, 'executionId', e.id,
         'status', $2::text, 'exitReason', $3::text)), clock_timestamp()
     from ended e
     left join workflows w on w.id = e.workflow_id
     where $2 in ('COMPLETED', 'EXITED')`;
  await execute(em, sql, [id, end.status, end.exitReason ?? null, end.error ?? null]);
}
