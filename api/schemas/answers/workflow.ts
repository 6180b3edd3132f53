import { z } from 'zod';
import { recordOf } from '../../../core/record-of.ts';
import { executionStatuses } from '../../../core/workflows/execution-status.ts';
import { branches } from '../../../core/workflows/graph.ts';
import { stepTypes } from '../../../core/workflows/step-config.ts';
import { executionsWithSteps, mostCountedEach } from '../../../db/statements/workflows/count-executions.ts';
import { offsetPageSchema, totalAccuracySchema } from './offset-page.ts';

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
  version: z.number().int().describe('Increases with each edit of steps and transitions.'),
  liveVersion: z
    .number()
    .int()
    .describe('The version that new executions follow: the newest whose graph can run.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const workflowSchema = recordSchema.meta({ id: 'Workflow' });

export const workflowPageSchema = offsetPageSchema(workflowSchema);

export const stepSchema = z
  .object({
    id: z.uuid(),
    type: z.enum(stepTypes),
    name: z.string(),
    position: anyObject.nullable(),
    config: anyObject,
    templateId: z.uuid().nullable().describe('Set for SEND_EMAIL, as in its config.'),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowStep' });

export const transitionSchema = z
  .object({ id: z.uuid(), fromStepId: z.uuid(), toStepId: z.uuid(), branch: z.enum(branches).nullable() })
  .meta({ id: 'WorkflowTransition' });

export const workflowWithGraphSchema = recordSchema
  .extend({
    steps: z.array(stepSchema),
    transitions: z.array(transitionSchema),
    faults: z
      .array(z.object({ code: z.string(), message: z.string(), stepId: z.uuid().nullable() }))
      .describe('Faults that keep the graph from running; empty when it can be enabled.'),
  })
  .meta({ id: 'WorkflowWithGraph' });

export const workflowFieldsSchema = z.object({
  fields: z.array(
    z.object({
      field: z.string(),
      type: z.enum(['string', 'number', 'boolean', 'date', 'event']),
      source: z.enum(['contact', 'event']),
    }),
  ),
});

const executions = z.number().int();

const manyExecutions = mostCountedEach.toLocaleString('en');

const executionCountsSchema = z
  .object({
    workflowId: z.uuid(),
    active: executions.describe('RUNNING or WAITING.'),
    total: executions.describe('All statuses.'),
    totalAccuracy: totalAccuracySchema.describe(
      `\`estimate\` when a count is above ${manyExecutions}: those are estimates, the others exact.`,
    ),
  })
  .meta({ id: 'ExecutionCounts' });

export const executionCountListSchema = z.object({ data: z.array(executionCountsSchema) });

export const workflowStatisticsSchema = z.object({
  executions: z
    .object(recordOf([...executionStatuses, 'total'], () => executions))
    .describe('Executions by status, and in total.'),
  totalAccuracy: totalAccuracySchema.describe(
    '`estimate` when a count is above 50,000: those are estimates, the others exact.',
  ),
  stepsOf: executions.describe(
    `Executions whose steps are counted: the newest, ${executionsWithSteps.toLocaleString('en')} at most.`,
  ),
  steps: z.array(
    z.object({
      stepId: z.uuid(),
      entered: executions.describe('Times it was entered; an execution that loops counts several times.'),
      completed: executions,
      failed: executions,
      waiting: executions.describe('Executions at this step now.'),
    }),
  ),
});
