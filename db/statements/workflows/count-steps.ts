import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const count = z.number().int();
const stepRow = z.object({
  stepId: z.uuid(),
  entered: count,
  completed: count,
  failed: count,
  waiting: count,
});

export type StepFigures = z.output<typeof stepRow>;

/** Executions whose steps are counted: some 40 ms with ten steps each. */
export const executionsWithSteps = 5_000;

/** Counts over the newest executions of the workflow, `executionsWithSteps` by default. */
export function countSteps(
  em: Em,
  workflowId: string,
  executions = executionsWithSteps,
): Promise<StepFigures[]> {
  return em.transactional(async (inner) => {
    await execute(inner, `set local jit = off; set local work_mem = '64MB'`);
    const sql = `select r.step_id as "stepId", count(*)::int as entered,
         count(*) filter (where r.completed_at is not null and r.error is null)::int as completed,
         count(*) filter (where r.error is not null)::int as failed,
         count(*) filter (where r.completed_at is null and x.status in ${activeStatusesSql})::int as waiting
       from (
         select id, status from workflow_executions where workflow_id = $1 order by started_at desc, id desc limit $2
       ) x
       join workflow_step_runs r on r.execution_id = x.id
       group by r.step_id`;
    return query(inner, stepRow, sql, [workflowId, executions]);
  });
}
