import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

export type StepType =
  | 'TRIGGER'
  | 'SEND_EMAIL'
  | 'DELAY'
  | 'WAIT_FOR_EVENT'
  | 'CONDITION'
  | 'WEBHOOK'
  | 'UPDATE_CONTACT'
  | 'EXIT';

export type ExecutionStatus = 'RUNNING' | 'WAITING' | 'COMPLETED' | 'EXITED' | 'FAILED' | 'CANCELLED';

/** An automation: a graph of steps that each contact walks after an event (API contract, "Workflow"). */
export const Workflow = defineEntity({
  name: 'Workflow',
  tableName: 'workflows',
  indexes: [{ name: 'workflows_project', properties: ['projectId', 'createdAt', 'id'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    enabled: p.boolean().default(false),
    /** Of the event that starts an execution. */
    eventName: p.text(),
    allowReentry: p.boolean().default(false),
    /** Raised by each edit of the steps and transitions. */
    version: p.integer().default(1),
    /**
     * The version that new executions are pinned to: the newest whose graph had no faults. Older than `version` while
     * an edit is under way; null while there never was one.
     */
    liveVersion: p.integer().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type WorkflowRow = InferEntity<typeof Workflow>;

/** A step of the graph as it is edited; executions read the version that they are pinned to. */
export const WorkflowStep = defineEntity({
  name: 'WorkflowStep',
  tableName: 'workflow_steps',
  indexes: [
    { name: 'workflow_steps_workflow', properties: ['workflowId'] },
    {
      name: 'workflow_steps_template',
      expression:
        'create index workflow_steps_template on workflow_steps (template_id) where template_id is not null',
    },
  ],
  properties: {
    id: primaryId(),
    workflowId: p.uuid(),
    type: p.text().$type<StepType>(),
    name: p.text(),
    /** Where the step is drawn; of no meaning here. */
    position: p.json().$type<Record<string, unknown>>().nullable(),
    config: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** Of SEND_EMAIL, also in `config`. */
    templateId: p.uuid().nullable(),
    createdAt: createdAt(),
  },
});

/** An arrow of the graph; one for each step and branch. */
export const WorkflowTransition = defineEntity({
  name: 'WorkflowTransition',
  tableName: 'workflow_transitions',
  indexes: [{ name: 'workflow_transitions_workflow', properties: ['workflowId'] }],
  uniques: [
    {
      name: 'workflow_transitions_from',
      expression:
        "create unique index workflow_transitions_from on workflow_transitions (from_step_id, coalesce(branch, ''))",
    },
  ],
  properties: {
    id: primaryId(),
    workflowId: p.uuid(),
    fromStepId: p.uuid(),
    toStepId: p.uuid(),
    /** `yes` and `no`, `event` and `timeout`; null for the only way out of a step. */
    branch: p.text().nullable(),
    createdAt: createdAt(),
  },
});

/**
 * A graph without faults as it was in one version: event name, steps and transitions. Never changes, so processes may
 * keep it. Versions with faults have no row: nothing runs them.
 */
export const WorkflowVersion = defineEntity({
  name: 'WorkflowVersion',
  tableName: 'workflow_versions',
  properties: {
    workflowId: p.uuid().primary(),
    version: p.integer().primary(),
    graph: p.json().$type<Record<string, unknown>>(),
    createdAt: createdAt(),
  },
});

/** A template that a version sends; goes with the version. */
export const WorkflowVersionTemplate = defineEntity({
  name: 'WorkflowVersionTemplate',
  tableName: 'workflow_version_templates',
  indexes: [{ name: 'workflow_version_templates_workflow', properties: ['workflowId'] }],
  properties: {
    templateId: p.uuid().primary(),
    workflowId: p.uuid().primary(),
    version: p.integer().primary(),
  },
});

/** One contact's way through a workflow. */
export const WorkflowExecution = defineEntity({
  name: 'WorkflowExecution',
  tableName: 'workflow_executions',
  indexes: [
    { name: 'workflow_executions_workflow', properties: ['workflowId', 'startedAt', 'id'] },
    { name: 'workflow_executions_status', properties: ['workflowId', 'status', 'startedAt', 'id'] },
    { name: 'workflow_executions_contact', properties: ['contactId', 'workflowId'] },
    {
      name: 'workflow_executions_active',
      expression:
        "create unique index workflow_executions_active on workflow_executions (workflow_id, contact_id) where status in ('RUNNING', 'WAITING')",
    },
    {
      name: 'workflow_executions_once',
      expression:
        'create unique index workflow_executions_once on workflow_executions (workflow_id, contact_id) where only_once',
    },
    {
      name: 'workflow_executions_pinned',
      expression:
        "create index workflow_executions_pinned on workflow_executions (workflow_id, version) where status in ('RUNNING', 'WAITING')",
    },
    {
      name: 'workflow_executions_upcoming',
      expression:
        'create index workflow_executions_upcoming on workflow_executions (project_id, resume_at) where resume_at is not null',
    },
    {
      name: 'workflow_executions_due',
      expression:
        'create index workflow_executions_due on workflow_executions (resume_at) where resume_at is not null',
    },
    {
      name: 'workflow_executions_running',
      expression: `create index workflow_executions_running on workflow_executions (started_at) where status = 'RUNNING'`,
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    workflowId: p.uuid(),
    version: p.integer(),
    /** Null once the contact was erased. */
    contactId: p.uuid().nullable(),
    status: p
      .text()
      .$type<ExecutionStatus>()
      .default('RUNNING')
      .check(`status in ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED')`),
    /** No other execution of this workflow for this contact, ever: re-entry was off when it started. */
    onlyOnce: p.boolean(),
    /** What has started it; null for a manual start. */
    eventId: p.uuid().nullable(),
    currentStepId: p.uuid().nullable(),
    /** Number of the step run that is under way, from 1. */
    visit: p.integer().default(0),
    /** When a wait ends by itself; null when it does not, or nothing waits. */
    resumeAt: instant().nullable(),
    context: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** Data of the event that has started it. */
    event: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    exitReason: p.text().nullable(),
    error: p.text().nullable(),
    startedAt: instant().defaultRaw('now()'),
    /** What was accepted before it. */
    startedAfter: p.string().columnType('pg_snapshot').defaultRaw('accepted_by_now()'),
    completedAt: instant().nullable(),
    /** Of what last moved it: the event that started it, or 0 after a pause. Null before its first step. */
    hops: p.smallint().nullable(),
    /** The last visit that was a pause; null before its first step. */
    pausedVisit: p.integer().nullable(),
  },
});

export type ExecutionRow = InferEntity<typeof WorkflowExecution>;

/** A step that an execution has entered, in order; what a repeated activity finds, it does not do again. */
export const WorkflowStepRun = defineEntity({
  name: 'WorkflowStepRun',
  tableName: 'workflow_step_runs',
  properties: {
    executionId: p.uuid().primary(),
    visit: p.integer().primary(),
    stepId: p.uuid(),
    /** Of the way out that was taken. */
    branch: p.text().nullable(),
    output: p.json().$type<Record<string, unknown>>().nullable(),
    error: p.text().nullable(),
    /** When its call went out; null again once that is known to have failed. */
    calledAt: instant().nullable(),
    startedAt: instant().defaultRaw('now()'),
    completedAt: instant().nullable(),
    /** What was accepted before it was over. */
    endedAfter: p.string().columnType('pg_snapshot').nullable(),
  },
});

/**
 * Who listens to an event: an enabled workflow (to the events of everyone: `contactId` is the zero UUID) or an execution
 * that waits for it (to those of its contact). What writes events looks here, and nowhere else.
 */
export const EventListener = defineEntity({
  name: 'EventListener',
  tableName: 'event_listeners',
  indexes: [
    { name: 'event_listeners_workflow', properties: ['workflowId'] },
    {
      name: 'event_listeners_execution',
      expression:
        'create index event_listeners_execution on event_listeners (execution_id) where execution_id is not null',
    },
  ],
  properties: {
    projectId: p.uuid().primary(),
    eventName: p.text().primary(),
    contactId: p.uuid().primary(),
    /** A workflow's own id, or that of the execution. */
    id: p.uuid().primary(),
    workflowId: p.uuid(),
    executionId: p.uuid().nullable(),
    /** Of the waiting step run. */
    visit: p.integer().nullable(),
  },
});
