import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Removes the listeners of cancelled executions. Not part of the cancelling statement, because events lock the
 * listener before the execution. A wait that begins concurrently ends by the execution's status.
 */
export async function removeListeners(
  em: Em,
  workflowId: string,
  executionIds: readonly string[],
): Promise<void> {
  if (executionIds.length === 0) return;
  await execute(em, 'delete from event_listeners where workflow_id = $1 and execution_id = any($2::uuid[])', [
    workflowId,
    executionIds,
  ]);
}
