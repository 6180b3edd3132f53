import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { executionStatuses } from '../../core/workflows/execution-status.ts';
import { stepTypes } from '../../core/workflows/step-config.ts';
import { executionsWithSteps } from '../../db/statements/workflows/count-executions.ts';
import { dateSchema } from './activity.ts';
import { anyObject } from './json-object.ts';
import { largePageQuerySchema, largePageSchema } from './pagination.ts';
import { temporalUrlSchema } from './temporal-run.ts';
import { workflowContextSchema } from './workflow-context.ts';

export const executionSchema = z
  .object({
    id: z.uuid(),
    workflowId: z.uuid(),
    version: z.int().describe('Version of the graph that the execution follows.'),
    contactId: z.uuid().nullable().describe('Null after the contact was deleted.'),
    contactEmail: z.string().nullable(),
    status: z.enum(executionStatuses),
    currentStepId: z.uuid().nullable(),
    context: anyObject,
    event: anyObject.describe('Data of the event that started it.'),
    resumeAt: z.iso.datetime().nullable().describe('When its wait times out.'),
    exitReason: z.string().nullable(),
    error: z.string().nullable(),
    startedAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
    temporalWorkflowId: z.string().nullable().describe('Its run; null after the contact was deleted.'),
    temporalUrl: temporalUrlSchema,
  })
  .meta({ id: 'WorkflowExecution' });

export const executionPageSchema = largePageSchema(executionSchema);

export const stepRunSchema = z.object({
  visit: z.int().describe('Number of the step within the execution, from 1.'),
  stepId: z.uuid(),
  type: z.enum(stepTypes).nullable(),
  name: z.string().nullable(),
  branch: z.string().nullable(),
  output: anyObject.nullable(),
  error: z.string().nullable(),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
});

export const executionWithStepsSchema = executionSchema
  .extend({
    steps: z.array(stepRunSchema).describe('The steps entered, in order; the latest 500 of a long loop.'),
  })
  .meta({ id: 'WorkflowExecutionWithSteps' });

export const cancelledExecutionsSchema = z.object({ cancelled: z.int() });

export const retriedExecutionsSchema = z.object({
  retried: z.int(),
  skipped: z.int().describe('Those that stay: as for a single one.'),
});

export const retryFailedBodySchema = z
  .object({
    failedSince: dateSchema.nullish().describe('Only those that failed since then; all if omitted.'),
  })
  .nullish();

export const startExecutionBodySchema = z.object({
  contactId: idSchema,
  context: workflowContextSchema
    .nullish()
    .describe('Variables of this execution: `context.*` in conditions and templates.'),
});

export const listExecutionsQuerySchema = largePageQuerySchema.extend({
  // Any text: an unknown status is answered with its own 400 instead of a 422.
  status: z
    .string()
    .optional()
    .describe(`${executionStatuses.slice(0, -1).join(', ')} or CANCELLED.`),
  email: z.string().optional().describe('Address of the contact; an address of no contact has none.'),
  stepId: idSchema
    .optional()
    .describe(
      `The step where an execution is, or where it ended. Only the newest ${executionsWithSteps.toLocaleString('en')} executions are searched, which the statistics count.`,
    ),
});

export type RetryFailedBody = z.output<typeof retryFailedBodySchema>;
export type StartExecutionBody = z.output<typeof startExecutionBodySchema>;
export type ListExecutionsQuery = z.output<typeof listExecutionsQuerySchema>;
