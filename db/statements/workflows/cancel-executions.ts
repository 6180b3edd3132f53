import { z } from 'zod';
import type { InTurn } from '../../../core/in-turn.ts';
import { nilId } from '../../../core/nil-id.ts';
import { unlessAway } from '../../database-away.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, query, queryColumn, queryValue } from '../../sql.ts';

const batchSize = 5_000;

/**
 * Cancels the executions of a workflow that are active now, in transactions of 5,000. Those that start meanwhile stay:
 * the events of a busy workflow would otherwise keep the call from ever ending.
 *
 * @param em outside of a transaction, or in one that locks the workflow
 * @param inTurn runs a batch when it is the project's turn
 * @returns the number canceled
 */
export async function cancelActiveExecutions(
  em: Em,
  workflowId: string,
  inTurn: InTurn = (batch) => batch(),
): Promise<number> {
  const until = await queryValue(em, z.date(), 'select clock_timestamp()::timestamptz(3)');
  let total = 0;
  // Each batch starts after the previous one, because canceled rows stay in the index for a while.
  let after = nilId;
  for (;;) {
    // Found by contact, the order of the index, but locked in the global order: by id.
    const lockSql = `
        select id from workflow_executions
        where status in ${activeStatusesSql} and id = any(array(
          select id from workflow_executions
          where workflow_id = $1 and status in ${activeStatusesSql} and contact_id >= $2 and started_at <= $3
          order by contact_id limit ${batchSize}))
        order by id
        for no key update`;
    const { cancelled, isLast } = await inTurn(async () => ({
      cancelled: await cancelLocked(em, lockSql, [workflowId, after, until]),
      // A short batch is not proof of the end: it leaves out executions that ended while it waited for their locks.
      isLast: !(await hasActiveExecution(em, workflowId, until)),
    }));
    total += cancelled.length;
    if (isLast) return total;
    const contactIds = cancelled.flatMap(({ contactId }) => contactId ?? []);
    after = contactIds.toSorted().at(-1) ?? nilId;
  }
}

/**
 * Cancels an active execution; none of its steps begins after the commit. A compare-and-set on the status, because a
 * step or an event may end it concurrently.
 *
 * @param em outside of a transaction
 * @returns whether it was active
 */
export async function cancelExecution(em: Em, workflowId: string, id: string): Promise<boolean> {
  const lockSql = `
      select id from workflow_executions
      where id = $2 and workflow_id = $1 and status in ${activeStatusesSql}
      for no key update`;
  return (await cancelLocked(em, lockSql, [workflowId, id])).length > 0;
}

const cancelledRow = z.object({ id: z.uuid(), contactId: z.uuid().nullable() });

/** @param lockSql query of the ids of executions of the workflow `$1`, which it locks */
// A statement, because it writes the canceled executions and their commands together, however many there are.
async function cancelLocked(
  em: Em,
  lockSql: string,
  parameters: readonly [workflowId: string, ...unknown[]],
) {
  const sql = `
  with locked as (${lockSql}),
  cancelled as (
    update workflow_executions x
    set status = 'CANCELLED', resume_at = null, completed_at = clock_timestamp()
    from locked l
    where x.id = l.id
    returning x.id, x.project_id, x.contact_id
  ),
  commanded as (
    insert into outbox (id, kind, subject_id, project_id)
    select uuidv7(), 'execution.cancel', id, project_id from cancelled
  )
  select id, contact_id as "contactId" from cancelled`;
  const cancelled = await query(em, cancelledRow, sql, parameters);
  const ids = cancelled.map(({ id }) => id);
  if (ids.length === 0) return cancelled;
  const removing = removeListeners(em, parameters[0], ids);
  // They are cancelled, so no failure is reported; the next event removes the listeners that are left. A transaction that
  // goes on after a failure would only report that it is aborted.
  await (em.isInTransaction() ? removing : unlessAway(removing));
  return cancelled;
}

/**
 * Removes the listeners of canceled executions. Not part of the canceling statement, because events lock the listener
 * before the execution. A wait that begins concurrently ends because of the execution's status.
 */
async function removeListeners(em: Em, workflowId: string, executionIds: readonly string[]): Promise<void> {
  // In the order in which events lock them.
  const sql = `with held as materialized (
       select project_id, event_name, contact_id, id from event_listeners
       where workflow_id = $1 and execution_id = any($2::uuid[])
       order by id
       for update
     )
     delete from event_listeners l using held h
     where l.project_id = h.project_id and l.event_name = h.event_name and l.contact_id = h.contact_id and l.id = h.id`;
  await execute(em, sql, [workflowId, executionIds]);
}

/**
 * The `order by` makes the planner use `workflow_executions_active`: its statistics may not show yet that most
 * executions have ended.
 *
 * @param until leaves out executions that started later; null for all
 */
export async function hasActiveExecution(
  em: Em,
  workflowId: string,
  until: Date | null = null,
): Promise<boolean> {
  const sql = `select id from workflow_executions
     where workflow_id = $1 and status in ${activeStatusesSql} and started_at <= coalesce($2::timestamptz, 'infinity')
     order by contact_id limit 1`;
  const found = await queryColumn(em, z.uuid(), sql, [workflowId, until]);
  return found.length > 0;
}
