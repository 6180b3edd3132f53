import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { isStorableText, type JsonObject, jsonByteLength } from '../../core/json-value.ts';
import { findEventNameFormIssue } from '../../core/reserved-events.ts';
import { branches } from '../../core/workflows/graph.ts';
import { stepTypes } from '../../core/workflows/step-config.ts';
import { executionSchema, executionStatuses } from '../presenters/execution.ts';
import { workflowSchema } from '../presenters/workflow.ts';
import { offsetPageSchema, offsetQuerySchema, queryFlagSchema } from './pagination.ts';
import { reportIssues } from './report-issues.ts';

const maxContextBytes = 64 * 1024;
const maxPositionBytes = 4 * 1024;

const nameSchema = z.string().trim().min(1).max(100);
const descriptionSchema = z.string().max(500).nullish();
const eventNameSchema = z
  .string()
  .check((context) => {
    const issue = findEventNameFormIssue(context.value);
    if (issue !== undefined) reportIssues(context, [issue], 'event');
  })
  .describe(
    'A tracked event, or one that the service emits: `contact.subscribed`, `email.open`, `segment.vip.entry`. What ' +
      'becomes of an email that a workflow sent does not start that workflow; and when that workflow begins with ' +
      '`email.sent`, `email.delivery`, `email.bounce` or `email.complaint`, such an event of its emails starts none. ' +
      'Workflows that start one another without a pause of a minute are stopped after ten executions, if re-entry is allowed.',
  );
const triggerConfigSchema = z.object({ eventName: eventNameSchema });

export const listWorkflowsQuerySchema = offsetQuerySchema.extend({
  search: z.string().max(255).optional().describe('Part of the name, the description or the event name.'),
});

export const workflowPageSchema = offsetPageSchema(workflowSchema);

export const createWorkflowBodySchema = z
  .object({
    name: nameSchema,
    description: descriptionSchema,
    eventName: eventNameSchema.optional(),
    triggerConfig: triggerConfigSchema.optional().describe('Another way to name the event.'),
    triggerType: z.literal('EVENT').optional(),
    allowReentry: z
      .boolean()
      .default(false)
      .describe('False: once per contact, ever. True: again once the execution before has ended.'),
  })
  .transform(({ triggerConfig, triggerType: _, ...body }, context) => {
    const eventName = body.eventName ?? triggerConfig?.eventName;
    if (eventName !== undefined) return { ...body, eventName };
    context.issues.push({
      code: 'invalid_type',
      expected: 'string',
      path: ['eventName'],
      message: 'Invalid input: expected string, received undefined',
      input: body.eventName,
    });
    return z.NEVER;
  });

export const patchWorkflowBodySchema = z
  .object({
    name: nameSchema.optional(),
    description: descriptionSchema.describe('Null removes it.'),
    eventName: eventNameSchema.optional(),
    triggerConfig: triggerConfigSchema.optional(),
    triggerType: z.literal('EVENT').optional(),
    enabled: z.boolean().optional(),
    allowReentry: z.boolean().optional(),
  })
  .transform(({ triggerConfig, triggerType: _, ...body }) => ({
    ...body,
    eventName: body.eventName ?? triggerConfig?.eventName,
  }));

const positionSchema = z
  .record(z.string(), z.json())
  .refine((position) => jsonByteLength(position) <= maxPositionBytes, {
    message: 'At most 4 KB of JSON are accepted',
    params: { code: 'too_big' },
  })
  .describe('Where an editor draws the step, such as `{ "x": 0, "y": 120 }`.');
/** Read by `parseStepConfig`, which names every fault. */
const configSchema = z.unknown().meta({ type: 'object' });
const branchSchema = z.enum(branches).nullish();

export const createStepBodySchema = z.object({
  type: z.enum(stepTypes).exclude(['TRIGGER']),
  name: nameSchema.optional().describe('Named after its type when left out.'),
  position: positionSchema.nullish(),
  config: configSchema.optional(),
  templateId: idSchema.nullish().describe('Of SEND_EMAIL: another way to name the template.'),
  autoConnect: idSchema.nullish().describe('A step that shall lead to the new one.'),
  branch: branchSchema.describe('Of the transition from that step; the first free one when left out.'),
});

export const patchStepBodySchema = z.object({
  type: z.enum(stepTypes).optional().describe('Cannot change; the present type is accepted.'),
  name: nameSchema.optional(),
  position: positionSchema.nullish(),
  config: configSchema.optional().describe('Replaces the whole config.'),
  templateId: idSchema.nullish(),
});

export const deleteStepQuerySchema = z.object({
  splice: queryFlagSchema.optional().describe('Join what leads to the step to what follows it.'),
});

export const createTransitionBodySchema = z.object({
  fromStepId: idSchema,
  toStepId: idSchema,
  branch: branchSchema.describe(
    '`yes` or `no` out of CONDITION, `event` or `timeout` out of WAIT_FOR_EVENT.',
  ),
});

const contextSchema = z
  .record(z.string(), z.json())
  .refine(
    (context) => Object.keys(context).every(isStorableText) && jsonByteLength(context) <= maxContextBytes,
    {
      message: 'At most 64 KB of JSON are accepted',
      params: { code: 'too_big' },
    },
  )
  .transform((context): JsonObject => context);

export const startExecutionBodySchema = z.object({
  contactId: idSchema,
  context: contextSchema
    .nullish()
    .describe('Variables of this execution: `context.*` in conditions and templates.'),
});

export const listExecutionsQuerySchema = offsetQuerySchema.extend({
  // Any text: an unknown status is a 400 of its own and no 422.
  status: z
    .string()
    .optional()
    .describe(`${executionStatuses.slice(0, -1).join(', ')} or CANCELLED.`),
});

export const executionPageSchema = offsetPageSchema(executionSchema);

export const workflowFieldsSchema = z.object({
  fields: z.array(
    z.object({
      field: z.string(),
      type: z.enum(['string', 'number', 'boolean', 'date', 'event']),
      source: z.enum(['contact', 'event']),
    }),
  ),
});

export const cancelledExecutionsSchema = z.object({ cancelled: z.number().int() });

export type ListWorkflowsQuery = z.output<typeof listWorkflowsQuerySchema>;
export type CreateWorkflowBody = z.output<typeof createWorkflowBodySchema>;
export type PatchWorkflowBody = z.output<typeof patchWorkflowBodySchema>;
export type CreateStepBody = z.output<typeof createStepBodySchema>;
export type PatchStepBody = z.output<typeof patchStepBodySchema>;
export type CreateTransitionBody = z.output<typeof createTransitionBodySchema>;
export type StartExecutionBody = z.output<typeof startExecutionBodySchema>;
export type ListExecutionsQuery = z.output<typeof listExecutionsQuerySchema>;
