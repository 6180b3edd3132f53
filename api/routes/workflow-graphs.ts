import { created, defineRoute, ok } from '../edge/define-route.ts';
import { presentStep, presentTransition } from '../presenters/workflow.ts';
import { ifMatchHeadersSchema, ifMatchWorkflowHeadersSchema } from '../schemas/if-match.ts';
import * as schemas from '../schemas/workflows.ts';

const triggerId = '01980d9c-3333-7000-8000-000000000001';
const stepExample = {
  id: '01980d9c-3333-7000-8000-000000000003',
  type: 'DELAY',
  name: 'Wait a day',
  position: { x: 0, y: 120 },
  config: { amount: 1, unit: 'days' },
  templateId: null,
  updatedAt: '2026-01-07T09:00:00.000Z',
};
const transitionExample = {
  id: '01980d9c-4444-7000-8000-000000000002',
  fromStepId: '01980d9c-3333-7000-8000-000000000004',
  toStepId: stepExample.id,
  branch: 'yes',
};

const editing = `Active executions follow the graph they started with. New ones follow the newest graph that can run
(\`liveVersion\`): the previous one while an edit leaves steps unreachable or incomplete.`;

export const createStep = defineRoute('POST /workflows/:id/steps', {
  summary: 'Add a step',
  description: `| Type | config |
|---|---|
| SEND_EMAIL | \`templateId\`, \`recipient?: { type: CONTACT or CUSTOM, email? }\` |
| DELAY | \`amount\`, \`unit\` (minutes, hours, days); at most 365 days |
| WAIT_FOR_EVENT | \`eventName\`, \`timeout?\` in seconds; waits forever without it |
| CONDITION | a condition tree, or one filter \`{ field, operator, value?, unit? }\` |
| WEBHOOK | \`url\`, \`method?\` (POST), \`headers?\`, \`body?\`: a string, or JSON whose strings are rendered; all take Liquid |
| UPDATE_CONTACT | \`data?\`, \`subscribed?\` |
| EXIT | \`reason?\` |

An email to a CUSTOM address that is not the contact's is sent as TRANSACTIONAL, whatever the template: it does not depend
on the contact's subscription, and offers its reader no way to end it. Its opens, clicks and bounces count for the
workflow and the project; they are not events of the contact.

WEBHOOK is tried up to 5 times while there is no response, or a 408, 429 or 5xx, always with the same \`webhook-id\`;
then the execution fails. Any other answer is added to the context under the name of the step, as \`{ statusCode, body }\`. A call that
may have been answered is never repeated: when its process died before it stored the answer, both are null, and the step
run has an \`error\`. A call has at most 250 strings with Liquid, of at most 64 KB in total. The answer of a step whose
name has dots is \`context["v1.2 call"].body\` in templates and \`context.v1.2 call.body\` in conditions.

An incomplete config can be completed later; a malformed one is refused. A workflow has at most 250 steps, with 1 MB of JSON in
their configs and positions. \`autoConnect\` names the step that leads to the new one. \`transitionId\` inserts the new step
into a transition: the transition then leads to it, and its first branch (\`yes\`; for other types the only one) to the step after it. A
WAIT_FOR_EVENT step continues there after the event and after the timeout.

${editing}`,
  headers: ifMatchWorkflowHeadersSchema,
  body: schemas.createStepBodySchema,
  bodyExample: {
    type: 'DELAY',
    name: 'Wait a day',
    position: { x: 0, y: 120 },
    config: { amount: 1, unit: 'days' },
    autoConnect: triggerId,
  },
  responses: created('The step.', schemas.stepSchema, stepExample),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  place: 'byService',
  async handler(ctx, { project, body, headers, params }) {
    const seen = headers['if-match'];
    const step = await ctx.services.workflowGraphs.addStep(project.id, params.id, body, seen);
    ctx.body = presentStep(step);
  },
});

export const patchStep = defineRoute('PATCH /workflows/:id/steps/:stepId', {
  summary: 'Update a step',
  description: `Only the fields sent change; \`config\` replaces the whole config. On the TRIGGER step it is \`{ eventName }\`. The type
cannot change, and changing only \`position\` creates no new version.

${editing}`,
  headers: ifMatchHeadersSchema,
  body: schemas.patchStepBodySchema,
  bodyExample: { config: { amount: 2, unit: 'days' } },
  responses: ok('The step after the change.', schemas.stepSchema, {
    ...stepExample,
    config: { amount: 2, unit: 'days' },
  }),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  place: 'byService',
  async handler(ctx, { project, body, headers, params }) {
    const { id, stepId } = params;
    const seen = headers['if-match'];
    const step = await ctx.services.workflowGraphs.patchStep(project.id, id, stepId, body, seen);
    ctx.body = presentStep(step);
  },
});

export const deleteStep = defineRoute('DELETE /workflows/:id/steps/:stepId', {
  summary: 'Delete a step',
  description: `Its transitions are deleted too. With \`splice=true\`, its predecessors are connected to its successor; 409 when different steps follow it. The TRIGGER
step can't be removed.

${editing}`,
  query: schemas.deleteStepQuerySchema,
  headers: ifMatchWorkflowHeadersSchema,
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler(ctx, { project, query, headers, params }) {
    const { splice = false } = query;
    const seen = headers['if-match'];
    await ctx.services.workflowGraphs.removeStep(project.id, params.id, params.stepId, splice, seen);
  },
});

export const createTransition = defineRoute('POST /workflows/:id/transitions', {
  summary: 'Connect two steps',
  description: `Out of CONDITION, \`branch\` is \`yes\` or \`no\`. Out of WAIT_FOR_EVENT it is \`event\` or \`timeout\`, or one transition
without a branch serves both. Other steps have one transition without a branch, EXIT has none. 409 when the step has one for
the branch.

${editing}`,
  headers: ifMatchWorkflowHeadersSchema,
  body: schemas.createTransitionBodySchema,
  bodyExample: {
    fromStepId: transitionExample.fromStepId,
    toStepId: transitionExample.toStepId,
    branch: 'yes',
  },
  responses: created('The transition.', schemas.transitionSchema, transitionExample),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'CONFLICT'],
  async handler(ctx, { project, body, headers, params }) {
    const seen = headers['if-match'];
    const transition = await ctx.services.workflowGraphs.addTransition(project.id, params.id, body, seen);
    ctx.body = presentTransition(transition);
  },
});

export const deleteTransition = defineRoute('DELETE /workflows/:id/transitions/:transitionId', {
  summary: 'Delete a transition',
  description: editing,
  headers: ifMatchWorkflowHeadersSchema,
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler(ctx, { project, headers, params }) {
    const seen = headers['if-match'];
    await ctx.services.workflowGraphs.removeTransition(project.id, params.id, params.transitionId, seen);
  },
});
