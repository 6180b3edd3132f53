import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const activeRow = z.object({ id: z.uuid(), hasMissedEvent: z.boolean() });

/**
 * Those of the executions that are active. One has missed its event if that ended its wait at least `lateSeconds` ago
 * and it is still waiting.
 */
export function findActiveExecutions(em: Em, ids: readonly string[], lateSeconds: number) {
  const sql = `select x.id, x.status = 'WAITING' and coalesce(r.completed_at < now() - make_interval(secs => $2), false)
       as "hasMissedEvent"
     from workflow_executions x
     left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
     where x.id = any($1::uuid[]) and x.status in ${activeStatusesSql}`;
  return query(em, activeRow, sql, [ids, lateSeconds]);
}
