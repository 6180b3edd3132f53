import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

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
