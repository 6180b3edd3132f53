import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Removes the listeners of canceled executions. Not part of the canceling statement, because events lock the listener
 * before the execution. A wait that begins concurrently ends because of the execution's status.
 */
export async function removeListeners(
  em: Em,
  workflowId: string,
  executionIds: readonly string[],
): Promise<void> {
  if (executionIds.length === 0) return;
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
