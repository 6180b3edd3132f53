import { z } from 'zod';
import { type StepType, stepTypes } from '../../core/workflows/step-config.ts';
import type { ExecutionRow } from '../../db/entities/workflow.ts';
import type { StepRunRecord } from '../../db/repositories/workflows/workflow-executions.ts';

export const executionStatuses = [
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'EXITED',
  'FAILED',
  'CANCELLED',
] as const;

const anyObject = z.record(z.string(), z.unknown());

const recordSchema = z.object({
  id: z.uuid(),
  workflowId: z.uuid(),
  version: z.number().int().describe('Of the graph that it follows to its end.'),
  contactId: z.uuid().nullable().describe('Null once the contact was deleted.'),
  status: z.enum(executionStatuses),
  currentStepId: z.uuid().nullable(),
  context: anyObject,
  event: anyObject.describe('Data of the event that has started it.'),
  resumeAt: z.iso.datetime().nullable().describe('When its wait ends by itself.'),
  exitReason: z.string().nullable(),
  error: z.string().nullable(),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
});

export const executionSchema = recordSchema.meta({ id: 'WorkflowExecution' });

export const executionWithStepsSchema = recordSchema
  .extend({
    steps: z
      .array(
        z.object({
          visit: z.number().int().describe('Counts the steps that the execution has entered, from 1.'),
          stepId: z.uuid(),
          type: z.enum(stepTypes).nullable(),
          name: z.string().nullable(),
          branch: z.string().nullable(),
          output: anyObject.nullable(),
          error: z.string().nullable(),
          startedAt: z.iso.datetime(),
          completedAt: z.iso.datetime().nullable(),
        }),
      )
      .describe('The steps entered, in order; the latest 500 of a long loop.'),
  })
  .meta({ id: 'WorkflowExecutionWithSteps' });

/** A step run with what the graph of its version says of the step. */
interface ShownStepRun extends StepRunRecord {
  type: StepType | null;
  name: string | null;
}

export interface ExecutionWithSteps {
  execution: ExecutionRow;
  steps: ShownStepRun[];
}

export function presentExecution(row: ExecutionRow): z.output<typeof executionSchema> {
  return {
    id: row.id,
    workflowId: row.workflowId,
    version: row.version,
    contactId: row.contactId ?? null,
    status: row.status,
    currentStepId: row.currentStepId ?? null,
    context: row.context,
    event: row.event,
    resumeAt: row.resumeAt?.toISOString() ?? null,
    exitReason: row.exitReason ?? null,
    error: row.error ?? null,
    startedAt: row.startedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}

export function presentExecutionWithSteps({
  execution,
  steps,
}: ExecutionWithSteps): z.output<typeof executionWithStepsSchema> {
  return {
    ...presentExecution(execution),
    steps: steps.map((step) => ({
      ...step,
      startedAt: step.startedAt.toISOString(),
      completedAt: step.completedAt?.toISOString() ?? null,
    })),
  };
}
