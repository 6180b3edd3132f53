import { where } from '../../setup/segments.ts';
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
import { campaignFields, campaignStatFields, cursorFields, pageFields } from './fields.ts';

const answer = ['success', ...under('data', campaignFields)];
const body = ({ from }: World) => ({
  name: 'News',
  subject: 'News',
  body: '<p>News</p>',
  from,
  audienceType: 'ALL',
});
const draft = async (world: World) => ({ params: { id: await world.campaign() } });
const bad = (when: string, change: Refusal['change']): Refusal => ({
  when,
  status: 400,
  code: 'BAD_REQUEST',
  change,
});

async function cancelled(_: unknown, world: World) {
  const call = await draft(world);
  await world.call('POST', `/campaigns/${call.params.id}/cancel`);
  return { ...call, body: body(world) };
}

const contentRefusals: Refusal[] = [
  bad(
    'the audience is a segment that is not named',
    withBody({ audienceType: 'SEGMENT', segmentId: undefined }),
  ),
  bad(
    'the audience is filtered by nothing',
    withBody({ audienceType: 'FILTERED', audienceCondition: undefined }),
  ),
  bad('a condition is none', withBody({ audienceType: 'FILTERED', audienceCondition: { logic: 'AND' } })),
  {
    when: 'the audience type is invalid',
    status: 422,
    code: 'VALIDATION_ERROR',
    change: withBody({ audienceType: 'SOME' }),
  },
  {
    when: 'the sender domain is not registered',
    status: 403,
    code: 'INTERNAL_SERVER_ERROR',
    change: withBody({ from: 'hello@elsewhere.example' }),
  },
];
const audienceFields = [
  'total',
  'recipients',
  ...under('excluded', ['unsubscribed', 'snoozed', 'suppressed']),
];
const required = ['name', 'subject', 'body', 'from', 'audienceType'];

export const campaignLines: readonly ContractLine[] = [
  {
    line: 'GET /campaigns',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', campaignFields), ...pageFields],
    valid: async (world) => {
      await world.campaign();
      return { query: 'page=1&pageSize=1000&status=DRAFT&search=HELLO@&sort=whatever&dir=whatever' };
    },
    refusals: [
      bad('the status is none', withQuery('status=GONE')),
      { when: 'the page is 0', status: 422, change: withQuery('page=0') },
      { when: 'the flag `body` is invalid', status: 422, change: withQuery('body=maybe') },
    ],
  },
  {
    line: 'POST /campaigns',
    key: 'sk',
    success: 201,
    answer,
    valid: async (world) => ({
      body: { ...body(world), audienceType: 'SEGMENT', segmentId: await world.segment(), fromName: 'Shop' },
    }),
    required,
    bodyIds: { segmentId: (theirs) => theirs.segment() },
    refusals: [...malformedKeys, ...contentRefusals],
  },
  { line: 'GET /campaigns/:id', key: 'sk', success: 200, answer, valid: draft },
  {
    line: 'PUT /campaigns/:id',
    key: 'sk',
    success: 200,
    answer,
    valid: async (world) => ({
      ...(await draft(world)),
      body: { ...body(world), audienceType: 'SEGMENT', segmentId: await world.segment() },
    }),
    required,
    refusals: [stale, ...contentRefusals, bad('it is cancelled', cancelled)],
    bodyIds: { segmentId: (theirs) => theirs.segment() },
  },
  {
    line: 'DELETE /campaigns/:id',
    key: 'sk',
    success: 204,
    valid: draft,
    refusals: [
      {
        when: 'it is scheduled',
        status: 409,
        code: 'CONFLICT',
        change: async (_, world) => ({ params: { id: await world.scheduledCampaign() } }),
      },
      {
        when: 'a segment asks who did not open it',
        status: 409,
        code: 'CONFLICT',
        change: async (valid, world) => {
          const condition = where({ field: `campaign.${valid.params?.id}`, operator: 'notOpened' });
          await world.call('POST', '/segments', { name: 'To remind', condition });
          return valid;
        },
      },
    ],
  },
  { line: 'POST /campaigns/:id/duplicate', key: 'sk', success: 201, answer, valid: draft },
  {
    line: 'POST /campaigns/:id/subject-test',
    key: 'sk',
    success: 201,
    answer: ['success', ...under('data.2', campaignFields)],
    valid: async (world) => ({ ...(await draft(world)), body: { subject: 'Other news', percent: 10 } }),
    required: ['subject', 'percent'],
    refusals: [
      { when: 'the parts are more than halves', status: 422, change: withBody({ percent: 51 }) },
      bad('it is scheduled', async (valid, world) => ({
        ...valid,
        params: { id: await world.scheduledCampaign() },
      })),
      stale,
    ],
  },
  {
    line: 'POST /campaigns/:id/send',
    key: 'sk',
    success: 200,
    answer: [...answer, 'message'],
    valid: async (world) => ({ ...(await draft(world)), body: { scheduledFor: 'January 1, 2100' } }),
    notWhileDisabled: true,
    refusals: [
      bad('the time is none', withBody({ scheduledFor: 'soon' })),
      bad('it is cancelled', async (valid, world) => ({ ...(await cancelled(valid, world)), body: {} })),
    ],
  },
  {
    line: 'POST /campaigns/:id/cancel',
    key: 'sk',
    success: 200,
    answer,
    valid: async (world) => ({ params: { id: await world.scheduledCampaign() } }),
    refusals: [bad('it is cancelled', cancelled)],
  },
  {
    line: 'POST /campaigns/:id/test',
    key: 'sk',
    success: 200,
    answer: ['success', 'message'],
    valid: async (world) => ({ ...(await draft(world)), body: { email: 'ada@example.com' } }),
    required: ['email'],
    notWhileDisabled: true,
    refusals: [
      { when: 'there are several addresses', status: 422, change: withBody({ email: ['ada@example.com'] }) },
    ],
  },
  {
    line: 'POST /campaigns/audience',
    key: 'sk',
    success: 200,
    answer: audienceFields,
    valid: async (world) => ({
      body: { type: 'MARKETING', audienceType: 'SEGMENT', segmentId: await world.segment() },
    }),
    required: ['audienceType'],
    bodyIds: { segmentId: (theirs) => theirs.segment() },
    refusals: contentRefusals.filter(({ status }) => status !== 403),
  },
  { line: 'GET /campaigns/:id/audience', key: 'sk', success: 200, answer: audienceFields, valid: draft },
  {
    line: 'GET /campaigns/:id/recipients',
    key: 'sk',
    success: 200,
    answer: ['data', ...cursorFields],
    valid: async (world) => ({ ...(await draft(world)), query: 'outcome=opened&limit=1000' }),
    refusals: [
      { when: 'the outcome is invalid', status: 422, change: withQuery('outcome=read') },
      bad('the cursor is of another list', withQuery('cursor=WzEsIm5vIl0')),
    ],
  },
  {
    line: 'GET /campaigns/:id/recipients/export',
    key: 'sk',
    success: 200,
    type: 'text/csv; charset=utf-8',
    valid: async (world) => ({ ...(await draft(world)), query: 'outcome=opened' }),
    refusals: [{ when: 'the outcome is invalid', status: 422, change: withQuery('outcome=read') }],
  },
  { line: 'GET /campaigns/:id/links', key: 'sk', success: 200, answer: ['data'], valid: draft },
  { line: 'GET /campaigns/:id/stats', key: 'sk', success: 200, answer: campaignStatFields, valid: draft },
];
