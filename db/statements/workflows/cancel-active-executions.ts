import { nilId } from '../../../core/nil-id.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { cancelLockedSql, cancelledSchema } from './cancel-locked-sql.ts';
import { hasActiveExecution } from './has-active-execution.ts';
import { removeListeners } from './remove-listeners.ts';

const batchSize = 5_000;
/**
 * Cancels all active executions of a workflow, in transactions of 5,000.
 *
 * @param em outside of a transaction
 * @returns the number canceled
 */
export async function cancelActiveExecutions(em: Em, workflowId: string): Promise<number> {
  let total = 0;
  // Each batch starts after the previous one, because canceled rows stay in the index for a while.
  let after = nilId;
  for (;;) {
    const cancelled = await query(
      em,
      cancelledSchema,
      // Found by contact, the order of the index, but locked in the global order: by id.
      cancelLockedSql(`
        select id from workflow_executions
        where status in ${activeStatusesSql} and id = any(array(
          select id from workflow_executions
          where workflow_id = $1 and status in ${activeStatusesSql} and contact_id >= $2
          order by contact_id limit ${batchSize}))
        order by id
        for no key update`),
      [workflowId, after],
    );
    await removeListeners(
      em,
      workflowId,
      cancelled.map(({ id }) => id),
    );
    total += cancelled.length;
    // A short batch is not proof of the end: it leaves out executions that ended while it waited for their locks.
    if (!(await hasActiveExecution(em, workflowId))) return total;
    const contactIds = cancelled.flatMap(({ contactId }) => contactId ?? []);
    after = contactIds.toSorted().at(-1) ?? nilId;
  }
}
