import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { jsonByteLength } from '../../core/json-value.ts';
import { findEventNameFormIssue } from '../../core/reserved-events.ts';
import { executionStatuses } from '../../core/workflows/execution-status.ts';
import { branches } from '../../core/workflows/graph.ts';
import { stepTypes } from '../../core/workflows/step-config.ts';
import { refusal } from '../../core/zod-issues.ts';
import { jsonObjectSchema } from './json-object.ts';
import { largePageQuerySchema, offsetQuerySchema, queryFlagSchema } from './pagination.ts';
import { reportIssues } from './report-issues.ts';
import { workflowContextSchema } from './workflow-context.ts';

const maxPositionBytes = 4 * 1024;

export const maxWorkflowNameLength = 100;
const nameSchema = z.string().trim().min(1).max(maxWorkflowNameLength);
const descriptionSchema = z.string().max(500).nullish();
const eventNameSchema = z
  .string()
  .check((context) => {
    const issue = findEventNameFormIssue(context.value);
    if (issue !== undefined) reportIssues(context, [issue], 'event');
  })
  .describe(
    'A tracked event, or one emitted by the service: `contact.subscribed`, `email.open`, ' +
      '`segment.vip.entry`. Events of an email that a workflow sent do not start that workflow; and if ' +
      'that workflow is triggered by `email.sent`, `email.delivery`, `email.bounce` or `email.complaint`, ' +
      'such events of its emails start no workflow. Workflows that start one another without a pause of a ' +
      'minute are stopped after ten executions, if re-entry is allowed.',
  );
const triggerConfigSchema = z.object({ eventName: eventNameSchema });

export const listWorkflowsQuerySchema = offsetQuerySchema.extend({
  search: z.string().max(255).optional().describe('Part of the name, the description or the event name.'),
});

export const createWorkflowBodySchema = z
  .object({
    name: nameSchema,
    description: descriptionSchema,
    eventName: eventNameSchema.optional(),
    triggerConfig: triggerConfigSchema.optional().describe('Alternative to `eventName`.'),
    triggerType: z.literal('EVENT').optional(),
    allowReentry: z
      .boolean()
      .default(false)
      .describe('False: once per contact. True: again after the previous execution has ended.'),
  })
  .transform(({ triggerConfig, triggerType: _, ...body }, context) => {
    const eventName = body.eventName ?? triggerConfig?.eventName;
    if (eventName !== undefined) return { ...body, eventName };
    context.issues.push({
      code: 'invalid_type',
      expected: 'string',
      path: ['eventName'],
      message: 'Required',
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

const positionSchema = jsonObjectSchema
  .refine(
    (position) => jsonByteLength(position) <= maxPositionBytes,
    refusal('At most 4 KB of JSON are accepted', 'too_big'),
  )
  .describe('Where an editor draws the step, such as `{ "x": 0, "y": 120 }`.');
/** Validated by `parseStepConfig`, which reports every issue. */
const configSchema = z.unknown().meta({ type: 'object', additionalProperties: true });
const branchSchema = z.enum(branches).nullish();

export const createStepBodySchema = z
  .object({
    type: z.enum(stepTypes).exclude(['TRIGGER']),
    name: nameSchema.optional().describe('Defaults to a name made from its type.'),
    position: positionSchema.nullish(),
    config: configSchema.optional(),
    templateId: idSchema.nullish().describe('For SEND_EMAIL: alternative to `config.templateId`.'),
    autoConnect: idSchema.nullish().describe('The step that leads to the new one.'),
    branch: branchSchema.describe('Branch of the transition from that step; defaults to the first free one.'),
    transitionId: idSchema
      .nullish()
      .describe(
        'The transition that the step is inserted into; not together with `autoConnect` and `branch`.',
      ),
  })
  .refine(({ autoConnect, branch, transitionId }) => !transitionId || (!autoConnect && !branch), {
    path: ['transitionId'],
    message: 'Expected without autoConnect and branch',
  });

export const patchStepBodySchema = z.object({
  type: z.enum(stepTypes).optional().describe("Can't be changed; the current type is accepted."),
  name: nameSchema.optional(),
  position: positionSchema.nullish(),
  config: configSchema.optional().describe('Replaces the whole config.'),
  templateId: idSchema.nullish(),
});

export const deleteStepQuerySchema = z.object({
  splice: queryFlagSchema.optional().describe("Connect the step's predecessors to its successor."),
});

export const createTransitionBodySchema = z.object({
  fromStepId: idSchema,
  toStepId: idSchema,
  branch: branchSchema.describe(
    '`yes` or `no` out of CONDITION, `event` or `timeout` out of WAIT_FOR_EVENT.',
  ),
});

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
});

export type ListWorkflowsQuery = z.output<typeof listWorkflowsQuerySchema>;
export type CreateWorkflowBody = z.output<typeof createWorkflowBodySchema>;
export type PatchWorkflowBody = z.output<typeof patchWorkflowBodySchema>;
export type CreateStepBody = z.output<typeof createStepBodySchema>;
export type PatchStepBody = z.output<typeof patchStepBodySchema>;
export type CreateTransitionBody = z.output<typeof createTransitionBodySchema>;
export type StartExecutionBody = z.output<typeof startExecutionBodySchema>;
export type ListExecutionsQuery = z.output<typeof listExecutionsQuerySchema>;
