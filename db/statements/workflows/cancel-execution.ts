import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { cancelLockedSql, cancelledSchema } from './cancel-locked-sql.ts';
import { removeListeners } from './remove-listeners.ts';

/**
 * Cancels an active execution; none of its steps begins after the commit. A compare-and-set on the status, because a
 * step or an event may end it concurrently.
 *
 * @param em outside of a transaction
 * @returns whether it was active
 */
export async function cancelExecution(em: Em, workflowId: string, id: string): Promise<boolean> {
  const sql = cancelLockedSql(`
      select id from workflow_executions
      where id = $2 and workflow_id = $1 and status in ${activeStatusesSql}
      for no key update`);
  const cancelled = await query(em, cancelledSchema, sql, [workflowId, id]);
  await removeListeners(
    em,
    workflowId,
    cancelled.map((execution) => execution.id),
  );
  return cancelled.length > 0;
}
