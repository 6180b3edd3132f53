import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { jsonByteLength } from '../../core/json-value.ts';
import { recordOf } from '../../core/record-of.ts';
import { executionStatuses } from '../../core/workflows/execution-status.ts';
import { branches } from '../../core/workflows/graph.ts';
import { stepTypes } from '../../core/workflows/step-config.ts';
import { listenedEventSchema } from '../../core/workflows/step-schemas.ts';
import { refusal } from '../../core/zod-issues.ts';
import { executionsWithSteps, mostCountedEach } from '../../db/statements/workflows/count-executions.ts';
import { anyObject, jsonObjectSchema } from './json-object.ts';
import { offsetPageSchema, offsetQuerySchema, queryFlagSchema, totalAccuracySchema } from './pagination.ts';

export const workflowSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    triggerType: z.literal('EVENT'),
    triggerConfig: z.object({ eventName: z.string() }),
    allowReentry: z.boolean(),
    projectId: z.uuid(),
    version: z.int().describe('Increases with each edit of steps and transitions.'),
    liveVersion: z.int().describe('The version that new executions follow: the newest whose graph can run.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Workflow' });

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

export const workflowWithGraphSchema = workflowSchema
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

const executions = z.int();

const manyExecutions = mostCountedEach.toLocaleString('en');

const executionCountsSchema = z
  .object({
    workflowId: z.uuid(),
    active: executions.describe('RUNNING or WAITING.'),
    failed: executions,
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

const maxPositionBytes = 4 * 1024;

export const maxWorkflowNameLength = 100;
const nameSchema = z.string().trim().min(1).max(maxWorkflowNameLength);
const descriptionSchema = z.string().max(500).nullish();
const eventNameSchema = listenedEventSchema.describe(
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

export type ListWorkflowsQuery = z.output<typeof listWorkflowsQuerySchema>;
export type CreateWorkflowBody = z.output<typeof createWorkflowBodySchema>;
export type PatchWorkflowBody = z.output<typeof patchWorkflowBodySchema>;
export type CreateStepBody = z.output<typeof createStepBodySchema>;
export type PatchStepBody = z.output<typeof patchStepBodySchema>;
export type CreateTransitionBody = z.output<typeof createTransitionBodySchema>;
