import type { Pause } from '../../../core/workflows/endless.ts';
import type { ExecutionRow, ExecutionStatus } from '../../entities/workflow.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Where an execution stands, with the run of the step that is under way. */
export interface HeldExecution
  extends Pick<
    ExecutionRow,
    'id' | 'projectId' | 'workflowId' | 'version' | 'status' | 'visit' | 'context' | 'event'
  > {
  /** Null when there is no such contact any more. */
  contactId: string | null;
  eventId: string | null;
  currentStepId: string | null;
  onlyOnce: boolean;
  /** Of what moves it now (`core/workflows/endless.ts`). */
  hops: number;
  /** The last visit that was a pause; null before the first step. */
  pausedVisit: number | null;
  resumeAt: Date | null;
  /** Of the step run `visit`; all null before the first. */
  branch: string | null;
  output: Record<string, unknown> | null;
  completedAt: Date | null;
  enteredAt: Date | null;
  /** How long ago its call went out that has no outcome yet, in milliseconds. */
  calledMsAgo: number | null;
}

/** An execution, held until the transaction ends: one step of it at a time. Undefined when it is gone. */
export async function holdExecution(em: Em, id: string): Promise<HeldExecution | undefined> {
  const held = await sql(em, 'select from workflow_executions where id = $1 for no key update', [id]);
  if (held.length === 0) return undefined;
  // A statement of its own, because only then it sees what was committed while the first one waited.
  const [row] = await sql<HeldExecution>(
    em,
    `select x.id, x.project_id as "projectId", x.workflow_id as "workflowId", x.version, x.status, x.visit,
       x.context, x.event, c.id as "contactId", x.event_id as "eventId",
       x.current_step_id as "currentStepId", x.resume_at as "resumeAt", r.branch, r.output,
       r.completed_at as "completedAt", r.started_at as "enteredAt", x.only_once as "onlyOnce",
       coalesce(x.hops, (select e.hops from events e where e.id = x.event_id), 0) as hops,
       x.paused_visit as "pausedVisit",
       extract(epoch from clock_timestamp() - r.called_at)::float8 * 1000 as "calledMsAgo"
     from workflow_executions x
     left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
     left join contacts c on c.id = x.contact_id and c.project_id = x.project_id
     where x.id = $1`,
    [id],
  );
  return row;
}

export interface StepEntry {
  executionId: string;
  visit: number;
  stepId: string;
  /** Those that the execution has. */
  hops: number;
  /** How long the step pauses: null for ever; undefined when it does not. */
  pauseMs?: number | null;
}

/** Enters a step: its run, and the execution at it. The caller holds the execution. */
export async function enterStep(em: Em, entry: StepEntry): Promise<void> {
  const { executionId, visit, stepId, hops, pauseMs } = entry;
  await sql(
    em,
    `with run as (
       insert into workflow_step_runs (execution_id, visit, step_id, started_at)
       values ($1, $2, $3, clock_timestamp())
     )
     update workflow_executions
     set visit = $2, current_step_id = $3, status = $4,
       resume_at = clock_timestamp() + make_interval(secs => $5::float8 / 1000),
       hops = $6::smallint, paused_visit = coalesce(paused_visit, $2 - 1)
     where id = $1`,
    [executionId, visit, stepId, pauseMs === undefined ? 'RUNNING' : 'WAITING', pauseMs ?? null, hops],
  );
}

export interface StepEnd {
  executionId: string;
  visit: number;
  branch?: string | null;
  output?: Record<string, unknown> | null;
  /** For the marketer to read; the execution goes on all the same. */
  error?: string;
  /** What joins the execution's context. */
  context?: Record<string, unknown>;
  pause?: Pause | undefined;
}

/** Ends the run of a step, unless an event has ended it already, and lets the execution go on. */
export async function completeStep(em: Em, end: StepEnd): Promise<void> {
  await sql(
    em,
    `with run as (
       update workflow_step_runs
       set branch = $3, output = $4::jsonb, error = $6, completed_at = clock_timestamp(),
         ended_after = accepted_by_now()
       where execution_id = $1 and visit = $2 and completed_at is null
     )
     update workflow_executions
     set status = 'RUNNING', resume_at = null, context = context || $5::jsonb,
       paused_visit = case when $7::text is null then paused_visit else $2 end,
       hops = case when $7 = 'chain' then 0 else hops end
     where id = $1`,
    [
      end.executionId,
      end.visit,
      end.branch ?? null,
      end.output ? JSON.stringify(end.output) : null,
      JSON.stringify(end.context ?? {}),
      end.error ?? null,
      end.pause ?? null,
    ],
  );
}

export interface ExecutionEnd {
  status: Extract<ExecutionStatus, 'COMPLETED' | 'EXITED' | 'FAILED' | 'CANCELLED'>;
  exitReason?: string | null;
  error?: string;
}

/** Ends an execution, and notes in the activity when it went its whole way. The caller holds it. */
export async function endExecution(em: Em, id: string, end: ExecutionEnd): Promise<void> {
  await sql(
    em,
    `with ended as (
       update workflow_executions
       set status = $2, exit_reason = $3, error = $4, resume_at = null, completed_at = clock_timestamp()
       where id = $1 and status in ('RUNNING', 'WAITING')
       returning id, project_id, workflow_id, contact_id, visit
     ),
     run as (
       update workflow_step_runs r
       set error = $4, completed_at = clock_timestamp()
       from ended e
       where $4::text is not null and r.execution_id = e.id and r.visit = e.visit and r.completed_at is null
     ),
     silenced as (
       delete from event_listeners l using ended e where l.execution_id = e.id
     )
     insert into events (id, project_id, name, kind, contact_id, workflow_id, data, occurred_at)
     select uuidv7(), e.project_id, 'workflow.completed', 'activity', e.contact_id, e.workflow_id,
       jsonb_strip_nulls(jsonb_build_object('workflowId', e.workflow_id, 'workflowName', w.name, 'executionId', e.id,
         'status', $2::text, 'exitReason', $3::text)), clock_timestamp()
     from ended e
     left join workflows w on w.id = e.workflow_id
     where $2 in ('COMPLETED', 'EXITED')`,
    [id, end.status, end.exitReason ?? null, end.error ?? null],
  );
}
