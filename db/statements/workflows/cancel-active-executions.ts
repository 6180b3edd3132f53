import { z } from 'zod';
import { nilId } from '../../../core/nil-id.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query, queryValue } from '../../sql.ts';
import { cancelLockedSql, cancelledSchema } from './cancel-locked-sql.ts';
import { hasActiveExecution } from './has-active-execution.ts';
import { removeListeners } from './remove-listeners.ts';

const batchSize = 5_000;
/**
 * Cancels the executions of a workflow that are active now, in transactions of 5,000. Those that start meanwhile stay:
 * the events of a busy workflow would otherwise keep the call from ever ending.
 *
 * @param em outside of a transaction
 * @returns the number canceled
 */
export async function cancelActiveExecutions(em: Em, workflowId: string): Promise<number> {
  const until = await queryValue(em, z.date(), 'select clock_timestamp()::timestamptz(3)');
  let total = 0;
  // Each batch starts after the previous one, because canceled rows stay in the index for a while.
  let after = nilId;
  for (;;) {
    // Found by contact, the order of the index, but locked in the global order: by id.
    const sql = cancelLockedSql(`
        select id from workflow_executions
        where status in ${activeStatusesSql} and id = any(array(
          select id from workflow_executions
          where workflow_id = $1 and status in ${activeStatusesSql} and contact_id >= $2 and started_at <= $3
          order by contact_id limit ${batchSize}))
        order by id
        for no key update`);
    const cancelled = await query(em, cancelledSchema, sql, [workflowId, after, until]);
    await removeListeners(
      em,
      workflowId,
      cancelled.map(({ id }) => id),
    );
    total += cancelled.length;
    // A short batch is not proof of the end: it leaves out executions that ended while it waited for their locks.
    if (!(await hasActiveExecution(em, workflowId, until))) return total;
    const contactIds = cancelled.flatMap(({ contactId }) => contactId ?? []);
    after = contactIds.toSorted().at(-1) ?? nilId;
  }
}
