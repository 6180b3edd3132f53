import { z } from 'zod';
import type { InTurn } from '../../../core/in-turn.ts';
import { nilId } from '../../../core/nil-id.ts';
import { brokenConstraint } from '../../database-errors.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query, queryColumn, queryValue } from '../../sql.ts';

const batchSize = 500;

/**
 * A step that failed wrote nothing, or its call was not answered, so it can be repeated. A wait can't: it failed because
 * the event's data did not fit, and the event is over. Nor can an execution that was stopped between two steps.
 */
const sql = `
with workflow as materialized (
  select id, live_version from workflows where id = $1 for key share
),
failed as materialized (
  select x.id, x.project_id, x.contact_id, x.version, x.visit, x.current_step_id, x.error, x.started_at, w.live_version
  from workflow w
  -- No index serves this comparison, or the planner might read all failed executions of the workflow.
  join workflow_executions x on x.workflow_id is not distinct from w.id
  where x.id = any($2::uuid[]) and x.status = 'FAILED'
  order by x.id
  for no key update of x
),
step as materialized (
  select v.version, (s ->> 'id')::uuid as id
  from workflow_versions v
  cross join lateral jsonb_array_elements(v.graph -> 'steps') s
  where v.workflow_id = $1 and v.version in (select version from failed union select live_version from failed)
    and s ->> 'type' <> 'WAIT_FOR_EVENT'
),
chosen as (
  select distinct on (f.contact_id) f.id, f.visit, s.version
  from failed f
  join contacts c on c.id = f.contact_id
  join workflow_step_runs r on r.execution_id = f.id and r.visit = f.visit and r.error = f.error
  cross join lateral (
    select max(version) as version from step
    where id = f.current_step_id and version in (f.version, f.live_version)
  ) s
  where s.version is not null and not exists (
    select from workflow_executions a
    where a.workflow_id = $1 and a.contact_id = f.contact_id and a.status in ${activeStatusesSql})
  order by f.contact_id, f.started_at desc, f.id desc
),
reopened as (
  update workflow_step_runs r
  set error = null, completed_at = null, called_at = null, started_at = clock_timestamp()
  from chosen c
  where r.execution_id = c.id and r.visit = c.visit
),
resumed as (
  update workflow_executions x
  set status = 'RUNNING', error = null, completed_at = null, version = c.version
  from chosen c
  where x.id = c.id
  returning x.id, x.project_id
),
commanded as (
  insert into outbox (id, kind, subject_id, project_id)
  select uuidv7(), 'execution.wake', id, project_id from resumed
)
select id from resumed`;

async function retryBatch(em: Em, workflowId: string, ids: readonly string[]): Promise<number> {
  try {
    const retried = await queryColumn(em, z.uuid(), sql, [workflowId, ids]);
    return retried.length;
  } catch (error) {
    if (brokenConstraint(error) !== 'workflow_executions_active') throw error;
    // Meanwhile an event has started an execution for one of the contacts, which the repeat sees.
    return retryBatch(em, workflowId, ids);
  }
}

/**
 * Continues a failed execution at the step that failed: in the newest version that can run, where the step may have been
 * corrected, or in its own if that one has the step no longer.
 *
 * @param em outside of a transaction
 * @returns whether it continues; not if it has not failed, its contact is in the workflow again, or nothing is left to
 * repeat
 */
export async function retryExecution(em: Em, workflowId: string, id: string): Promise<boolean> {
  return (await retryBatch(em, workflowId, [id])) > 0;
}

const failedRow = z.object({ id: z.uuid(), startedAt: z.date(), completedAt: z.date().nullable() });

/**
 * As `retryExecution`, for all executions of a workflow that failed since then and before the call, newest first, in
 * batches of 500. Of several of a contact, the newest continues.
 *
 * @param since null for all
 * @param inTurn runs a batch when it is the project's turn
 */
export async function retryFailedExecutions(
  em: Em,
  workflowId: string,
  since: Date | null,
  inTurn: InTurn,
): Promise<{ retried: number; skipped: number }> {
  const until = await queryValue(em, z.date(), 'select clock_timestamp()::timestamptz(3)');
  const batchSql = `select id, started_at as "startedAt", completed_at as "completedAt" from workflow_executions
     where workflow_id = $1 and status = 'FAILED' and (started_at, id) < ($2::timestamptz, $3::uuid)
     order by started_at desc, id desc limit ${batchSize}`;
  const total = { retried: 0, skipped: 0 };
  let before: [startedAt: Date | 'infinity', id: string] = ['infinity', nilId];
  for (;;) {
    const isLast = await inTurn(async () => {
      const batch = await query(em, failedRow, batchSql, [workflowId, ...before]);
      // Their end has no index.
      const wanted = batch.filter(({ completedAt }) => {
        return completedAt !== null && completedAt <= until && (since === null || completedAt >= since);
      });
      const ids = wanted.map(({ id }) => id);
      const retried = ids.length === 0 ? 0 : await retryBatch(em, workflowId, ids);
      total.retried += retried;
      total.skipped += ids.length - retried;
      const last = batch.at(-1);
      if (last !== undefined) before = [last.startedAt, last.id];
      return batch.length < batchSize;
    });
    if (isLast) return total;
  }
}
