import { z } from 'zod';
import { countOrEstimate, estimateRows, type Total } from '../../count-or-estimate.ts';
import type { ExecutionFilter } from '../../entities/workflow-execution.ts';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { bindInto, query, queryColumn, withSettings } from '../../sql.ts';

/**
 * Executions of a workflow with any status or a given one, from an index alone, or those of a contact, or of a step
 * among those started `since` then.
 */
export function countExecutions(
  em: Em,
  { workflowId, status, contactId, currentStepId, since }: ExecutionFilter,
): Promise<Total> {
  const parameters: unknown[] = [];
  const bind = bindInto(parameters);
  const tests = [`workflow_id = ${bind(workflowId)}`];
  if (status !== undefined) tests.push(`status = ${bind(status)}`);
  if (contactId !== undefined) tests.push(`contact_id = ${bind(contactId)}`);
  if (currentStepId !== undefined) tests.push(`current_step_id = ${bind(currentStepId)}`);
  if (since !== undefined) tests.push(`started_at >= ${bind(since)}`);
  return countOrEstimate(em, `from workflow_executions where ${tests.join(' and ')}`, parameters);
}

/** Lower than for a single workflow, because a page has many. */
export const mostCountedEach = 10_000;

/** `totalAccuracy` is `estimate` when a count is. */
export interface ExecutionCounts extends Total {
  workflowId: string;
  active: number;
  failed: number;
}

const countRow = z.object({ workflowId: z.uuid(), active: z.int(), failed: z.int(), total: z.int() });

const countedSql = (rows: string) =>
  `(select count(*)::int from (select ${rows} limit ${mostCountedEach + 1}) counted)`;
const rowsSql = (workflowId: string) => `from workflow_executions x where x.workflow_id = ${workflowId}`;
const activeSql = (workflowId: string) => `${rowsSql(workflowId)} and x.status in ${activeStatusesSql}`;
const failedSql = (workflowId: string) => `${rowsSql(workflowId)} and x.status = 'FAILED'`;

/**
 * Executions of each of some workflows, for a page of workflows, from indexes alone: exact up to `mostCountedEach`,
 * above that the planner's estimate. A row per workflow of the project.
 */
export async function countExecutionsOf(
  em: Em,
  projectId: string,
  workflowIds: readonly string[],
): Promise<ExecutionCounts[]> {
  const sql = `select w.id as "workflowId", ${countedSql(activeSql('w.id'))} as active,
       ${countedSql(failedSql('w.id'))} as failed, ${countedSql(rowsSql('w.id'))} as total
     from workflows w where w.project_id = $1 and w.id = any($2::uuid[])`;
  const counted = await query(em, countRow, sql, [projectId, workflowIds]);
  const counts: ExecutionCounts[] = [];
  for (const row of counted) {
    const { workflowId, active, failed, total } = row;
    const orEstimate = async (counted: number, rows: (workflowId: string) => string) =>
      counted <= mostCountedEach
        ? counted
        : Math.max(counted, await estimateRows(em, rows('$1'), [workflowId]));
    counts.push({
      workflowId,
      active: await orEstimate(active, activeSql),
      failed: await orEstimate(failed, failedSql),
      total: await orEstimate(total, rowsSql),
      totalAccuracy: total <= mostCountedEach ? 'exact' : 'estimate',
    });
  }
  return counts;
}

const count = z.int();
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

/** When the oldest of the executions whose steps are counted started; undefined if all are counted. */
export async function stepsCountedSince(
  em: Em,
  workflowId: string,
  executions = executionsWithSteps,
): Promise<Date | undefined> {
  const sql = `select started_at from workflow_executions where workflow_id = $1
     order by started_at desc, id desc offset $2 limit 1`;
  const [oldest] = await queryColumn(em, z.date(), sql, [workflowId, executions - 1]);
  return oldest;
}

/** Counts over the newest executions of the workflow, `executionsWithSteps` by default. */
export function countSteps(
  em: Em,
  workflowId: string,
  executions = executionsWithSteps,
): Promise<StepFigures[]> {
  const sql = `select r.step_id as "stepId", count(*)::int as entered,
       count(*) filter (where r.completed_at is not null and r.error is null)::int as completed,
       count(*) filter (where r.error is not null)::int as failed,
       count(*) filter (where r.completed_at is null and x.status in ${activeStatusesSql})::int as waiting
     from (
       select id, status from workflow_executions where workflow_id = $1 order by started_at desc, id desc limit $2
     ) x
     join workflow_step_runs r on r.execution_id = x.id
     group by r.step_id`;
  const settings = `set local jit = off; set local work_mem = '64MB'`;
  return withSettings(em, settings, (inner) => query(inner, stepRow, sql, [workflowId, executions]));
}
