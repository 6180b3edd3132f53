import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

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
  const found = await query(em, z.object({ id: z.uuid() }), sql, [workflowId, until]);
  return found.length > 0;
}
