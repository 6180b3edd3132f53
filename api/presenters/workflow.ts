import { z } from 'zod';
import { branches } from '../../core/workflows/graph.ts';
import type { GraphFault } from '../../core/workflows/graph-faults.ts';
import { stepTypes } from '../../core/workflows/step-config.ts';
import type { WorkflowRow } from '../../db/entities/workflow.ts';
import type { StepRecord, TransitionRecord } from '../../db/repositories/workflows/workflow-graphs.ts';

const anyObject = z.record(z.string(), z.unknown());

const recordSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  enabled: z.boolean(),
  triggerType: z.literal('EVENT'),
  triggerConfig: z.object({ eventName: z.string() }),
  allowReentry: z.boolean(),
  projectId: z.uuid(),
  version: z.number().int().describe('Rises with each edit of steps and transitions.'),
  liveVersion: z
    .number()
    .int()
    .describe('The version that new executions follow: the newest whose graph can run.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const workflowSchema = recordSchema.meta({ id: 'Workflow' });

export const stepSchema = z
  .object({
    id: z.uuid(),
    type: z.enum(stepTypes),
    name: z.string(),
    position: anyObject.nullable(),
    config: anyObject,
    templateId: z.uuid().nullable().describe('Of SEND_EMAIL, as in its config.'),
  })
  .meta({ id: 'WorkflowStep' });

export const transitionSchema = z
  .object({
    id: z.uuid(),
    fromStepId: z.uuid(),
    toStepId: z.uuid(),
    branch: z.enum(branches).nullable(),
  })
  .meta({ id: 'WorkflowTransition' });

export const workflowWithGraphSchema = recordSchema
  .extend({
    steps: z.array(stepSchema),
    transitions: z.array(transitionSchema),
    faults: z
      .array(z.object({ code: z.string(), message: z.string(), stepId: z.uuid().nullable() }))
      .describe('What keeps the graph from running; empty when it can be enabled.'),
  })
  .meta({ id: 'WorkflowWithGraph' });

export function presentWorkflow(row: WorkflowRow): z.output<typeof workflowSchema> {
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? null,
    enabled: row.enabled,
    triggerType: 'EVENT',
    triggerConfig: { eventName: row.eventName },
    allowReentry: row.allowReentry,
    projectId: row.projectId,
    version: row.version,
    liveVersion: row.liveVersion ?? row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** A workflow with its graph as it is edited. */
export interface WorkflowWithGraph {
  workflow: WorkflowRow;
  steps: StepRecord[];
  transitions: TransitionRecord[];
  faults: GraphFault[];
}

export function presentWorkflowWithGraph({
  workflow,
  steps,
  transitions,
  faults,
}: WorkflowWithGraph): z.output<typeof workflowWithGraphSchema> {
  return {
    ...presentWorkflow(workflow),
    steps: steps.map((step) => presentStep(step, workflow.eventName)),
    transitions: transitions.map(presentTransition),
    faults: faults.map(({ code, message, stepId }) => ({ code, message, stepId })),
  };
}

/** @param eventName of the workflow: its TRIGGER step shows it */
export function presentStep(step: StepRecord, eventName: string): z.output<typeof stepSchema> {
  const { id, type, name, position, config, templateId } = step;
  return {
    id,
    type,
    name,
    position,
    config: type === 'TRIGGER' ? { eventName } : config,
    templateId,
  };
}

export function presentTransition(way: TransitionRecord): z.output<typeof transitionSchema> {
  const { id, fromStepId, toStepId, branch } = way;
  return { id, fromStepId, toStepId, branch };
}
