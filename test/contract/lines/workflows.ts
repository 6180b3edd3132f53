import { randomUUID } from 'node:crypto';
import type { Call } from '../call.ts';
import {
  type ContractLine,
  malformedKeys,
  type Refusal,
  stale,
  under,
  withBody,
  withQuery,
} from '../line.ts';
import type { World } from '../world.ts';
import {
  executionFields,
  largePageFields,
  pageFields,
  stepFields,
  transitionFields,
  workflowFields,
} from './fields.ts';

const one = async (world: World) => ({ params: { id: await world.workflow() } });
const ofStep = async (world: World) => {
  const { id, stepId } = await world.step();
  return { params: { id, stepId } };
};
const ofExecution = async (world: World) => ({ params: await world.execution() });
const invalid = (when: string, change: Refusal['change']): Refusal => ({
  when,
  status: 422,
  code: 'VALIDATION_ERROR',
  change,
});
const conflict = (when: string, change: Refusal['change']): Refusal => ({
  when,
  status: 409,
  code: 'CONFLICT',
  change,
});
const graph = [...under('steps.0', stepFields), 'transitions'];

/** Creates two steps of a workflow without a transition between them. */
async function apart(world: World): Promise<Call> {
  const { id, stepId } = await world.step();
  const step = await world.call('POST', `/workflows/${id}/steps`, { type: 'EXIT', config: {} });
  return { params: { id }, body: { fromStepId: stepId, toStepId: step.id } };
}

export const workflowLines: readonly ContractLine[] = [
  {
    line: 'GET /workflows',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', workflowFields), ...pageFields],
    valid: async (world) => {
      await world.workflow();
      return { query: 'page=1&pageSize=1000&search=welcome' };
    },
    refusals: [invalid('the page is 0', withQuery('page=0'))],
  },
  {
    line: 'GET /workflows/fields',
    key: 'sk',
    success: 200,
    answer: under('fields.0', ['field', 'type', 'source']),
    valid: () => ({}),
  },
  {
    line: 'GET /workflows/executions',
    key: 'sk',
    success: 200,
    answer: under('data.0', ['workflowId', 'active', 'total', 'totalAccuracy']),
    valid: async (world) => ({ query: `ids=${await world.workflow()}` }),
    refusals: [
      { when: 'the ids are missing', status: 422, change: withQuery('') },
      { when: 'an id is malformed', status: 422, change: withQuery('ids=welcome') },
    ],
  },
  {
    line: 'POST /workflows',
    key: 'sk',
    success: 201,
    answer: [...workflowFields, ...graph],
    valid: () => ({
      body: { name: 'Welcome', description: 'Greets', eventName: 'signed up', allowReentry: true },
    }),
    required: ['name', 'eventName'],
    refusals: [
      ...malformedKeys,
      invalid('the name is longer than 100 characters', withBody({ name: 'n'.repeat(101) })),
    ],
  },
  { line: 'GET /workflows/:id', key: 'sk', success: 200, answer: [...workflowFields, ...graph], valid: one },
  {
    line: 'PATCH /workflows/:id',
    key: 'sk',
    success: 200,
    answer: workflowFields,
    valid: async (world) => ({
      params: { id: (await world.step()).id },
      body: { name: 'Hello', triggerConfig: { eventName: 'joined' }, enabled: true, allowReentry: true },
    }),
    refusals: [
      stale,
      {
        when: 'it is enabled with a step that cannot run',
        status: 400,
        code: 'BAD_REQUEST',
        change: async (valid, world) => {
          await world.call('POST', `/workflows/${valid.params?.id}/steps`, {
            type: 'SEND_EMAIL',
            config: {},
          });
          return valid;
        },
      },
      invalid('enabled is no boolean', withBody({ enabled: 'yes' })),
    ],
  },
  {
    line: 'POST /workflows/:id/duplicate',
    key: 'sk',
    success: 201,
    answer: [...workflowFields, ...graph],
    valid: one,
  },
  {
    line: 'GET /workflows/:id/statistics',
    key: 'sk',
    success: 200,
    answer: [
      'totalAccuracy',
      ...under('executions', ['total', 'RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED']),
      ...under('steps.0', ['stepId', 'entered', 'completed', 'failed', 'waiting']),
    ],
    valid: one,
  },
  {
    line: 'DELETE /workflows/:id',
    key: 'sk',
    success: 204,
    valid: one,
    refusals: [
      conflict('an execution is under way', async (_, world) => ({
        params: { id: (await world.execution()).id },
      })),
    ],
  },
  {
    line: 'POST /workflows/:id/steps',
    key: 'sk',
    success: 201,
    answer: stepFields,
    valid: async (world) => ({
      ...(await one(world)),
      body: {
        type: 'SEND_EMAIL',
        name: 'Greet',
        position: { x: 0 },
        config: { templateId: await world.template(), recipient: { type: 'CONTACT' } },
      },
    }),
    required: ['type'],
    bodyIds: {
      'config.templateId': (theirs) => theirs.template(),
      templateId: (theirs) => theirs.template(),
      autoConnect: async (theirs) => (await theirs.step()).stepId,
      transitionId: async (theirs) => (await theirs.transition()).transitionId,
    },
    refusals: [
      stale,
      invalid('the type is none', withBody({ type: 'DANCE' })),
      invalid(
        'the wait is longer than 365 days',
        withBody({ type: 'DELAY', config: { amount: 366, unit: 'days' } }),
      ),
    ],
  },
  {
    line: 'PATCH /workflows/:id/steps/:stepId',
    key: 'sk',
    success: 200,
    answer: stepFields,
    valid: async (world) => ({ ...(await ofStep(world)), body: { config: { amount: 2, unit: 'hours' } } }),
    refusals: [
      stale,
      invalid('the unit is none', withBody({ config: { amount: 2, unit: 'moons' } })),
      { when: 'the type changes', status: 400, code: 'BAD_REQUEST', change: withBody({ type: 'EXIT' }) },
    ],
  },
  {
    line: 'DELETE /workflows/:id/steps/:stepId',
    key: 'sk',
    success: 204,
    valid: async (world) => ({ ...(await ofStep(world)), query: 'splice=true' }),
    refusals: [
      stale,
      invalid('splice is no boolean', withQuery('splice=perhaps')),
      {
        when: 'the step is the trigger',
        status: 400,
        code: 'BAD_REQUEST',
        change: async (valid, world) => {
          const { steps } = await world.call('GET', `/workflows/${valid.params?.id}`);
          return { params: { id: valid.params?.id ?? '', stepId: steps[0].id } };
        },
      },
    ],
  },
  {
    line: 'POST /workflows/:id/transitions',
    key: 'sk',
    success: 201,
    answer: transitionFields,
    valid: apart,
    required: ['fromStepId', 'toStepId'],
    bodyIds: {
      fromStepId: async (theirs) => (await theirs.step()).stepId,
      toStepId: async (theirs) => (await theirs.step()).stepId,
    },
    refusals: [
      stale,
      conflict('the step leads somewhere already', async (valid, world) => {
        await world.call('POST', `/workflows/${valid.params?.id}/transitions`, valid.body);
        return valid;
      }),
      invalid('the branch is none', withBody({ branch: 'maybe' })),
    ],
  },
  {
    line: 'DELETE /workflows/:id/transitions/:transitionId',
    key: 'sk',
    success: 204,
    valid: async (world) => ({ params: await world.transition() }),
    refusals: [stale],
  },
  {
    line: 'POST /workflows/:id/executions',
    key: 'sk',
    success: 201,
    answer: executionFields,
    valid: async (world) => ({
      params: { id: (await world.step()).id },
      body: { contactId: await world.contact(), context: { coupon: 'SPRING' } },
    }),
    required: ['contactId'],
    bodyIds: { contactId: (theirs) => theirs.contact() },
    notWhileDisabled: true,
    refusals: [
      ...malformedKeys,
      conflict('the contact was in it before', async (valid, world) => {
        await world.call('POST', `/workflows/${valid.params?.id}/executions`, valid.body);
        return valid;
      }),
      invalid('the context is no object', withBody({ context: 'SPRING' })),
    ],
  },
  {
    line: 'GET /workflows/:id/executions',
    key: 'sk',
    success: 200,
    answer: ['data', ...largePageFields],
    valid: async (world) => ({ params: { id: (await world.execution()).id }, query: 'status=WAITING' }),
    refusals: [
      { when: 'the status is invalid', status: 400, code: 'BAD_REQUEST', change: withQuery('status=GONE') },
    ],
  },
  {
    line: 'GET /workflows/:id/executions/:executionId',
    key: 'sk',
    success: 200,
    answer: [...executionFields, 'steps'],
    valid: ofExecution,
  },
  {
    line: 'DELETE /workflows/:id/executions/:executionId',
    key: 'sk',
    success: 204,
    valid: ofExecution,
    refusals: [
      conflict('it has ended', async (valid, world) => {
        await world.call('DELETE', `/workflows/${valid.params?.id}/executions/${valid.params?.executionId}`);
        return valid;
      }),
    ],
  },
  {
    line: 'POST /workflows/:id/executions/:executionId/retry',
    key: 'sk',
    success: 200,
    answer: executionFields,
    valid: async (world) => ({ params: await world.failedExecution() }),
    notWhileDisabled: true,
    refusals: [conflict('it has not failed', async (_, world) => ({ params: await world.execution() }))],
  },
  {
    line: 'POST /workflows/:id/executions/retry-failed',
    key: 'sk',
    success: 200,
    answer: ['retried', 'skipped'],
    valid: async (world) => ({
      params: { id: (await world.failedExecution()).id },
      body: { failedSince: '2026-01-31T09:00:00Z' },
    }),
    notWhileDisabled: true,
    refusals: [invalid('the time is no time', withBody({ failedSince: 'yesterday' }))],
  },
  {
    line: 'POST /workflows/:id/executions/cancel-all',
    key: 'sk',
    success: 200,
    answer: ['cancelled'],
    valid: async (world) => ({ params: { id: (await world.execution()).id } }),
    refusals: [
      {
        when: 'the workflow does not exist',
        status: 404,
        code: 'NOT_FOUND',
        change: () => ({ params: { id: randomUUID() } }),
      },
    ],
  },
];
