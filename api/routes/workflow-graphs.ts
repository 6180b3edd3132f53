import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { presentStep, presentTransition, stepSchema, transitionSchema } from '../presenters/workflow.ts';
import {
  createStepBodySchema,
  createTransitionBodySchema,
  deleteStepQuerySchema,
  patchStepBodySchema,
} from '../schemas/workflows.ts';

const tags = ['Workflows'];
const params = z.object({ id: idSchema });
const stepParams = z.object({ id: idSchema, stepId: idSchema });

const triggerId = '01980d9c-3333-7000-8000-000000000001';
const stepExample = {
  id: '01980d9c-3333-7000-8000-000000000003',
  type: 'DELAY',
  name: 'Wait a day',
  position: { x: 0, y: 120 },
  config: { amount: 1, unit: 'days' },
  templateId: null,
};
const transitionExample = {
  id: '01980d9c-4444-7000-8000-000000000002',
  fromStepId: '01980d9c-3333-7000-8000-000000000004',
  toStepId: stepExample.id,
  branch: 'yes',
};

const editing = `Executions that are under way follow the graph that they started with. New ones follow the newest graph that can
run: while an edit leaves steps unreachable or incomplete, the one before (\`liveVersion\`).`;

export const createStep = defineRoute({
  method: 'POST',
  path: '/workflows/:id/steps',
  auth: 'secretKey',
  tags,
  summary: 'Add a step',
  description: `| Type | config |
|---|---|
| SEND_EMAIL | \`templateId\`, \`recipient?: { type: CONTACT or CUSTOM, email? }\` |
| DELAY | \`amount\`, \`unit\` (minutes, hours, days); at most 365 days |
| WAIT_FOR_EVENT | \`eventName\`, \`timeout?\` in seconds; without it forever |
| CONDITION | a condition tree, or one filter \`{ field, operator, value?, unit? }\` |
| WEBHOOK | \`url\`, \`method?\` (POST), \`headers?\`, \`body?\`: a text, or JSON whose texts are rendered; Liquid in all of them |
| UPDATE_CONTACT | \`data?\`, \`subscribed?\` |
| EXIT | \`reason?\` |

WEBHOOK makes up to 5 tries while no answer comes, or 408, 429 or 5xx, each with the same \`webhook-id\`; then the execution
fails. Any other answer joins the context under the name of the step, as \`{ statusCode, body }\`. A call is never repeated
that may have been answered: when the process that made it died before it could keep the answer, both are null, and the
step run has an \`error\`.

A config may be completed later; one of a wrong shape is refused. A workflow has at most 250 steps, with 1 MB of JSON in
their configs and positions. \`autoConnect\` names a step that shall lead to the new one.

${editing}`,
  params,
  body: createStepBodySchema,
  bodyExample: {
    type: 'DELAY',
    name: 'Wait a day',
    position: { x: 0, y: 120 },
    config: { amount: 1, unit: 'days' },
    autoConnect: triggerId,
  },
  responses: { 201: { description: 'The step.', schema: stepSchema, example: stepExample } },
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler({ project, params: { id }, body, services }) {
    const { step, eventName } = await services.workflowGraphs.addStep(project.id, id, body);
    return { status: 201, body: presentStep(step, eventName) };
  },
});

export const patchStep = defineRoute({
  method: 'PATCH',
  path: '/workflows/:id/steps/:stepId',
  auth: 'secretKey',
  tags,
  summary: 'Update a step',
  description: `Only the fields sent change; \`config\` replaces the whole config. On the TRIGGER step it is \`{ eventName }\`. The type
cannot change, and a change of \`position\` alone makes no new version.

${editing}`,
  params: stepParams,
  body: patchStepBodySchema,
  bodyExample: { config: { amount: 2, unit: 'days' } },
  responses: {
    200: {
      description: 'The step after the change.',
      schema: stepSchema,
      example: { ...stepExample, config: { amount: 2, unit: 'days' } },
    },
  },
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler({ project, params: { id, stepId }, body, services }) {
    const { step, eventName } = await services.workflowGraphs.patchStep(project.id, id, stepId, body);
    return { status: 200, body: presentStep(step, eventName) };
  },
});

export const deleteStep = defineRoute({
  method: 'DELETE',
  path: '/workflows/:id/steps/:stepId',
  auth: 'secretKey',
  tags,
  summary: 'Delete a step',
  description: `Its transitions go too. With \`splice=true\`, what leads to it leads to what follows it from now on; 409 when different
steps follow it. The TRIGGER step stays.

${editing}`,
  params: stepParams,
  query: deleteStepQuerySchema,
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler({ project, params: { id, stepId }, query, services }) {
    await services.workflowGraphs.removeStep(project.id, id, stepId, query.splice ?? false);
    return { status: 204 };
  },
});

export const createTransition = defineRoute({
  method: 'POST',
  path: '/workflows/:id/transitions',
  auth: 'secretKey',
  tags,
  summary: 'Let one step follow another',
  description: `Out of CONDITION, \`branch\` is \`yes\` or \`no\`. Out of WAIT_FOR_EVENT it is \`event\` or \`timeout\`, or one transition
without a branch serves both. Other steps have one transition without a branch, EXIT has none. 409 when the step has one for
the branch.

${editing}`,
  params,
  body: createTransitionBodySchema,
  bodyExample: {
    fromStepId: transitionExample.fromStepId,
    toStepId: transitionExample.toStepId,
    branch: 'yes',
  },
  responses: {
    201: { description: 'The transition.', schema: transitionSchema, example: transitionExample },
  },
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler({ project, params: { id }, body, services }) {
    const way = await services.workflowGraphs.addTransition(project.id, id, body);
    return { status: 201, body: presentTransition(way) };
  },
});

export const deleteTransition = defineRoute({
  method: 'DELETE',
  path: '/workflows/:id/transitions/:transitionId',
  auth: 'secretKey',
  tags,
  summary: 'Delete a transition',
  description: editing,
  params: z.object({ id: idSchema, transitionId: idSchema }),
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id, transitionId }, services }) {
    await services.workflowGraphs.removeTransition(project.id, id, transitionId);
    return { status: 204 };
  },
});
