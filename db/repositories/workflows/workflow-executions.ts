import type { ExecutionRow, ExecutionStatus } from '../../entities/workflow.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Statuses of executions that are under way, as SQL. */
export const activeStatusesSql = `('RUNNING', 'WAITING')`;

/**
 * Whether a new execution of the workflow row `w` for a contact would keep the rule of re-entry, as SQL: with it, not
 * while one is under way, which `workflow_executions_active` decides; without, never again. Of two that start at once
 * without it, `workflow_executions_once` decides. Inserts say `on conflict do nothing`, `only_once` = not
 * `allow_reentry`.
 *
 * @param contact SQL of the contact's id
 */
const mayEnterSql = (contact: string) => `(w.allow_reentry or not exists (
    select from workflow_executions e where e.contact_id = ${contact} and e.workflow_id = w.id))`;

/**
 * Fragment behind the insert of executions, for the rows of `started(id, project_id, workflow_id, contact_id)`: notes
 * each in the activity and leaves the command that starts it.
 */
const executionsStartedSql = `
  start_journaled as (
    insert into events (id, project_id, name, kind, contact_id, workflow_id, data, occurred_at)
    select uuidv7(), s.project_id, 'workflow.started', 'activity', s.contact_id, s.workflow_id,
      jsonb_build_object('workflowId', w.id, 'workflowName', w.name, 'executionId', s.id), clock_timestamp()
    from started s
    join workflows w on w.id = s.workflow_id
  ),
  start_commanded as (
    insert into outbox (id, kind, subject_id, project_id)
    select uuidv7(), 'execution.start', id, project_id from started
  )`;

const columns = `x.id, x.project_id as "projectId", x.workflow_id as "workflowId", x.version,
  x.contact_id as "contactId", x.status, x.only_once as "onlyOnce", x.event_id as "eventId",
  x.current_step_id as "currentStepId", x.visit, x.resume_at as "resumeAt", x.context, x.event,
  x.exit_reason as "exitReason", x.error, x.started_at as "startedAt", x.completed_at as "completedAt"`;

export interface NewExecution {
  id: string;
  workflowId: string;
  version: number;
  contactId: string;
  context: Record<string, unknown>;
}

/**
 * Starts an execution by hand, at a version that the caller has looked up; the caller holds the workflow and knows that
 * the contact is there.
 *
 * @returns undefined when the rule of re-entry forbids it
 */
export async function startExecution(em: Em, execution: NewExecution): Promise<ExecutionRow | undefined> {
  const { id, workflowId, version, contactId, context } = execution;
  const [row] = await sql<ExecutionRow>(
    em,
    `with started as (
       insert into workflow_executions as x (id, project_id, workflow_id, version, contact_id, only_once, context)
       select $1::uuid, w.project_id, w.id, $3::int, $4::uuid, not w.allow_reentry, $5::jsonb
       from workflows w
       where w.id = $2 and ${mayEnterSql('$4::uuid')}
       on conflict do nothing
       returning *
     ),
     ${executionsStartedSql}
     select ${columns} from started x`,
    [id, workflowId, version, contactId, JSON.stringify(context)],
  );
  return row;
}

/** Whether the project has a contact, which is then not deleted before the transaction ends. */
export async function holdContact(em: Em, projectId: string, contactId: string): Promise<boolean> {
  const rows = await sql(em, 'select 1 from contacts where project_id = $1 and id = $2 for key share', [
    projectId,
    contactId,
  ]);
  return rows.length > 0;
}

const filterSql = 'x.workflow_id = $1 and ($2::text is null or x.status = $2::text)';

/** A page of a workflow's executions, newest first. */
export function listExecutions(
  em: Em,
  workflowId: string,
  status: ExecutionStatus | undefined,
  page: { limit: number; offset: number },
): Promise<ExecutionRow[]> {
  return sql(
    em,
    `select ${columns} from workflow_executions x where ${filterSql}
     order by x.started_at desc, x.id desc limit $3 offset $4::bigint`,
    [workflowId, status ?? null, page.limit, page.offset],
  );
}

export async function countExecutions(
  em: Em,
  workflowId: string,
  status: ExecutionStatus | undefined,
): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from workflow_executions x where ${filterSql}`,
    [workflowId, status ?? null],
  );
  return row?.count ?? 0;
}

export async function findExecution(
  em: Em,
  workflowId: string,
  id: string,
): Promise<ExecutionRow | undefined> {
  const [row] = await sql<ExecutionRow>(
    em,
    `select ${columns} from workflow_executions x where x.id = $2 and x.workflow_id = $1`,
    [workflowId, id],
  );
  return row;
}

/** A step that an execution has entered. */
export interface StepRunRecord {
  visit: number;
  stepId: string;
  branch: string | null;
  output: Record<string, unknown> | null;
  error: string | null;
  startedAt: Date;
  completedAt: Date | null;
}

/** The latest `limit` step runs of an execution, in the order of time. */
export async function listStepRuns(em: Em, executionId: string, limit: number): Promise<StepRunRecord[]> {
  const rows = await sql<StepRunRecord>(
    em,
    `select visit, step_id as "stepId", branch, output, error, started_at as "startedAt",
       completed_at as "completedAt"
     from workflow_step_runs where execution_id = $1 order by visit desc limit $2`,
    [executionId, limit],
  );
  return rows.reverse();
}

/** Whether an execution of the workflow is under way. */
export async function hasActiveExecution(em: Em, workflowId: string): Promise<boolean> {
  const rows = await sql(
    em,
    // In the order of `workflow_executions_active`: most may have ended a moment ago, which no statistics know of.
    `select 1 from workflow_executions where workflow_id = $1 and status in ${activeStatusesSql}
     order by contact_id limit 1`,
    [workflowId],
  );
  return rows.length > 0;
}
