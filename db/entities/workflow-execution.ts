import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { nilId } from '../../core/nil-id.ts';
import { type ExecutionStatus, executionStatuses } from '../../core/workflows/execution-status.ts';
import { activeStatusesSql } from '../fragments/active-statuses-sql.ts';
import { instant, primaryId } from './columns.ts';
import type { ListWindow } from './list-window.ts';

const WorkflowExecutionSchema = defineEntity({
  name: 'WorkflowExecution',
  repository: () => WorkflowExecutionRepository,
  tableName: 'workflow_executions',
  uniques: [
    {
      name: 'workflow_executions_active',
      properties: ['workflowId', 'contactId'],
      where: `status in ${activeStatusesSql}`,
    },
    { name: 'workflow_executions_once', properties: ['workflowId', 'contactId'], where: 'only_once' },
  ],
  indexes: [
    { name: 'workflow_executions_workflow', properties: ['workflowId', 'startedAt', 'id'] },
    { name: 'workflow_executions_status', properties: ['workflowId', 'status', 'startedAt', 'id'] },
    { name: 'workflow_executions_contact', properties: ['contactId', 'workflowId'] },
    {
      name: 'workflow_executions_pinned',
      properties: ['workflowId', 'version'],
      where: `status in ${activeStatusesSql}`,
    },
    {
      name: 'workflow_executions_upcoming',
      properties: ['projectId', 'resumeAt'],
      where: 'resume_at is not null',
    },
    { name: 'workflow_executions_due', properties: ['resumeAt'], where: 'resume_at is not null' },
    { name: 'workflow_executions_running', properties: ['startedAt'], where: "status = 'RUNNING'" },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    workflowId: p.uuid(),
    version: p.integer(),
    contactId: p.uuid().nullable(),
    status: p.enum(executionStatuses).default('RUNNING'),
    /** Whether re-entry was off at the start, so that the workflow never runs again for this contact. */
    onlyOnce: p.boolean(),
    eventId: p.uuid().nullable(),
    currentStepId: p.uuid().nullable(),
    visit: p.integer().default(0),
    /** When the wait times out; null without a timeout or when nothing is waiting. */
    resumeAt: instant().nullable(),
    context: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    event: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    exitReason: p.text().nullable(),
    error: p.text().nullable(),
    startedAt: instant().defaultRaw('now()'),
    /** Snapshot of the transactions accepted at the start. */
    startedAfter: p.string().columnType('pg_snapshot').defaultRaw('accepted_by_now()'),
    completedAt: instant().nullable(),
    /** Hops of the triggering event, 0 after a pause (`core/workflows/endless.ts`). Null before the first step. */
    hops: p.smallint().nullable(),
    /** The last visit that paused; null before the first step. */
    pausedVisit: p.integer().nullable(),
  },
});

export class WorkflowExecution extends WorkflowExecutionSchema.class {}
WorkflowExecutionSchema.setClass(WorkflowExecution);

/**
 * A step entered by an execution, in order. Makes activities idempotent: a retry finds the row and does not repeat the
 * step.
 */
export const WorkflowStepRun = defineEntity({
  name: 'WorkflowStepRun',
  tableName: 'workflow_step_runs',
  properties: {
    executionId: p.uuid().primary(),
    visit: p.integer().primary(),
    stepId: p.uuid(),
    branch: p.text().nullable(),
    output: p.json().$type<Record<string, unknown>>().nullable(),
    error: p.text().nullable(),
    /** When the outbound call was made; reset to null after a known failure. */
    calledAt: instant().nullable(),
    startedAt: instant().defaultRaw('now()'),
    completedAt: instant().nullable(),
    /** Snapshot of the transactions accepted when the step ended. */
    endedAfter: p.string().columnType('pg_snapshot').nullable(),
  },
});

export type WorkflowStepRun = InferEntity<typeof WorkflowStepRun>;

export const everyContact = nilId;

/**
 * A listener for an event: an enabled workflow (events of every contact) or a waiting execution (events of its
 * contact). Statements that write events look up listeners only here.
 */
export const EventListener = defineEntity({
  name: 'EventListener',
  tableName: 'event_listeners',
  indexes: [
    { name: 'event_listeners_workflow', properties: ['workflowId'] },
    { name: 'event_listeners_execution', properties: ['executionId'], where: 'execution_id is not null' },
  ],
  properties: {
    projectId: p.uuid().primary(),
    eventName: p.text().primary(),
    contactId: p.uuid().primary(),
    id: p.uuid().primary(),
    workflowId: p.uuid(),
    executionId: p.uuid().nullable(),
    visit: p.integer().nullable(),
  },
});

export interface ExecutionFilter {
  workflowId: string;
  status?: ExecutionStatus;
  contactId?: string;
  /** The step where an execution is, or where it ended. */
  currentStepId?: string;
  /** Only those started since then. */
  since?: Date;
}

export class WorkflowExecutionRepository extends EntityRepository<WorkflowExecution> {
  listPage(
    { since, ...filter }: ExecutionFilter,
    { limit, offset, after }: ListWindow,
  ): Promise<WorkflowExecution[]> {
    const position = after && {
      $or: [{ startedAt: { $lt: new Date(after.at) } }, { id: { $lt: after.id } }],
    };
    const startedAt = {
      ...(since && { $gte: since }),
      // Bounds the index scan, which the `$or` above does not.
      ...(after && { $lte: new Date(after.at) }),
    };
    return this.find(
      { ...filter, ...position, ...((since || after) && { startedAt }) },
      { orderBy: { startedAt: 'desc', id: 'desc' }, limit, offset },
    );
  }
}
