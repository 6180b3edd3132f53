import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * The `order by` makes the planner use `workflow_executions_active`: its statistics may not show yet that most
 * executions have ended.
 */
export async function hasActiveExecution(em: Em, workflowId: string): Promise<boolean> {
  const found = await query(
    em,
    z.object({ id: z.uuid() }),
    `select id from workflow_executions where workflow_id = $1 and status in ${activeStatusesSql}
     order by contact_id limit 1`,
    [workflowId],
  );
  return found.length > 0;
}
