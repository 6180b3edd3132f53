import { type ContractLine, type Refusal, stale, under, withBody, withQuery } from '../line.ts';
import type { World } from '../world.ts';
import { pageFields, templateFields } from './fields.ts';

const body = ({ from }: World) => ({
  name: 'Welcome',
  subject: 'Hello',
  body: '<p>Hello {{ name ?? "you" }}</p>',
  from,
});
const one = async (world: World) => ({ params: { id: await world.template() } });

const unregistered: Refusal = {
  when: 'the sender domain is not registered',
  status: 403,
  code: 'INTERNAL_SERVER_ERROR',
  change: withBody({ from: 'hello@elsewhere.example' }),
};
const unparseable = { when: 'the body does not parse', status: 400, change: withBody({ body: '{% if %}' }) };

export const templateLines: readonly ContractLine[] = [
  {
    line: 'GET /templates',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', templateFields), ...pageFields],
    valid: async (world) => {
      await world.template();
      return { query: 'page=1&pageSize=1000&type=MARKETING&search=NEWS&sort=whatever&dir=whatever' };
    },
    refusals: [
      { when: 'the page is 0', status: 422, change: withQuery('page=0') },
      { when: 'the page size is 0', status: 422, change: withQuery('pageSize=0') },
      { when: 'the flag `body` is invalid', status: 422, change: withQuery('body=maybe') },
      { when: 'the type is invalid', status: 422, change: withQuery('type=NEWS') },
    ],
  },
  {
    line: 'POST /templates',
    key: 'sk',
    success: 201,
    answer: templateFields,
    valid: (world) => ({ body: body(world) }),
    required: ['name', 'subject', 'body', 'from'],
    missing: 400,
    simpleErrors: true,
    refusals: [
      unregistered,
      unparseable,
      { when: 'the type is invalid', status: 422, change: withBody({ type: 'NEWS' }) },
      { when: 'the type is empty', status: 422, change: withBody({ type: '' }) },
      { when: 'the name is not a string', status: 422, change: withBody({ name: 7 }) },
      { when: 'the body is not a string', status: 422, change: withBody({ body: {} }) },
      { when: 'the sender is not a string', status: 422, change: withBody({ from: ['hello@example.com'] }) },
      { when: 'the name is empty', status: 400, change: withBody({ name: '' }) },
      {
        when: 'the body is missing and the name is not a string',
        status: 400,
        change: withBody({ body: null, name: 7 }),
      },
    ],
  },
  { line: 'GET /templates/:id', key: 'sk', success: 200, answer: templateFields, valid: one },
  {
    line: 'PATCH /templates/:id',
    key: 'sk',
    success: 200,
    answer: templateFields,
    valid: async (world) => ({
      ...(await one(world)),
      body: { ...body(world), description: 'A note', type: 'HEADLESS' },
    }),
    refusals: [stale, unregistered, { ...unparseable, code: 'BAD_REQUEST' }],
  },
  {
    line: 'DELETE /templates/:id',
    key: 'sk',
    success: 204,
    valid: one,
    refusals: [
      {
        when: 'a workflow step sends it',
        status: 409,
        code: 'CONFLICT',
        change: async (valid, world) => {
          const id = await world.workflow();
          const config = { templateId: valid.params?.id };
          await world.call('POST', `/workflows/${id}/steps`, { type: 'SEND_EMAIL', config });
          return valid;
        },
      },
    ],
  },
  { line: 'POST /templates/:id/duplicate', key: 'sk', success: 201, answer: templateFields, valid: one },
  {
    line: 'POST /templates/:id/test',
    key: 'sk',
    success: 200,
    answer: ['success', 'message'],
    valid: async (world) => ({ ...(await one(world)), body: { email: 'ada@example.com' } }),
    required: ['email'],
    notWhileDisabled: true,
    refusals: [
      { when: 'there are several addresses', status: 422, change: withBody({ email: ['ada@example.com'] }) },
    ],
  },
  {
    line: 'GET /templates/usage',
    key: 'sk',
    success: 200,
    answer: under('data.0', ['templateId', 'workflows']),
    valid: async (world) => ({ query: `ids=${await world.template()}` }),
    refusals: [
      { when: 'the ids are missing', status: 422, change: withQuery('') },
      { when: 'an id is malformed', status: 422, change: withQuery('ids=welcome') },
    ],
  },
  {
    line: 'GET /templates/:id/usage',
    key: 'sk',
    success: 200,
    answer: ['campaigns', 'workflowSteps'],
    valid: one,
  },
];
