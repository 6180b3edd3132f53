import { where } from '../../setup/segments.ts';
import { unknownId } from '../../setup/unknown-id.ts';
import { type ContractLine, type Refusal, stale, under, withBody, withQuery } from '../line.ts';
import { condition, type World } from '../world.ts';
import { contactFields, largePageFields, segmentFields } from './fields.ts';

const dynamic = async (world: World) => ({ params: { id: await world.segment() } });
const chosen = async (world: World) => ({ params: { id: await world.staticSegment() } });
const bad = (when: string, change: Refusal['change']): Refusal => ({ when, status: 400, change });
const onDynamic = bad('the segment is dynamic', async (valid, world) => ({
  ...valid,
  ...(await dynamic(world)),
}));
const onStatic = bad('the segment is static', async (valid, world) => ({
  ...valid,
  ...(await chosen(world)),
}));

const deep = (depth: number): object =>
  depth === 1 ? condition : { logic: 'AND', groups: [{ filters: [], conditions: deep(depth - 1) }] };
const plan = { field: 'data.plan', operator: 'equals', value: 'pro' };
const ofCampaign = (operator: string) => ({ field: `campaign.${unknownId}`, operator, value: undefined });
const filter = (changes: object) => where({ ...plan, ...changes });
const conditionRefusals: Refusal[] = [
  bad('the condition is no object', withBody({ condition: 'everyone' })),
  bad('the logic is neither AND nor OR', withBody({ condition: { ...condition, logic: 'XOR' } })),
  bad('the condition has no group', withBody({ condition: { logic: 'AND', groups: [] } })),
  bad('the operator is none', withBody({ condition: filter({ operator: 'resembles' }) })),
  bad('the field is none', withBody({ condition: filter({ field: 'password' }) })),
  bad('a filter has no value', withBody({ condition: filter({ value: undefined }) })),
  bad('the unit is none', withBody({ condition: filter({ operator: 'within', value: 3, unit: 'moons' }) })),
  bad('a campaign is of another project', withBody({ condition: filter(ofCampaign('opened')) })),
  bad('a campaign is asked for an event', withBody({ condition: filter(ofCampaign('triggered')) })),
  bad('the condition is eleven deep', withBody({ condition: deep(11) })),
  bad('the condition has 101 filters', withBody({ condition: where(...Array(101).fill(plan)) })),
];
const members = (changes: object) => async (world: World) => ({
  ...(await chosen(world)),
  body: { emails: [await world.address()], ...changes },
});
const memberRefusals: Refusal[] = [
  onDynamic,
  { when: 'the address is missing', status: 422, change: withBody({ emails: [] }) },
  {
    when: 'there are 501 addresses',
    status: 422,
    change: withBody({ emails: Array(501).fill('a@example.com') }),
  },
];

export const segmentLines: readonly ContractLine[] = [
  {
    line: 'GET /segments',
    key: 'sk',
    success: 200,
    answer: under('data.0', segmentFields),
    valid: async (world) => {
      await world.segment();
      return {};
    },
  },
  {
    line: 'POST /segments',
    key: 'sk',
    success: 201,
    answer: segmentFields,
    valid: () => ({
      body: { name: 'Pro', description: 'Who pays', type: 'DYNAMIC', condition, trackMembership: false },
    }),
    required: ['name', 'condition'],
    missing: 400,
    simpleErrors: true,
    refusals: [
      ...conditionRefusals,
      {
        when: 'the condition uses a segment of another project',
        status: 400,
        change: withBody({
          condition: filter({
            field: 'segment.01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
            operator: 'memberOfSegment',
            value: undefined,
          }),
        }),
      },
      {
        when: 'the name is longer than 100 characters',
        status: 422,
        change: withBody({ name: 'n'.repeat(101) }),
      },
      {
        when: 'the description is longer than 500 characters',
        status: 422,
        change: withBody({ description: 'd'.repeat(501) }),
      },
      { when: 'the name is not a string', status: 422, change: withBody({ name: 7 }) },
      { when: 'trackMembership is not a boolean', status: 422, change: withBody({ trackMembership: 'no' }) },
      { when: 'the condition is a list', status: 400, change: withBody({ condition: [] }) },
      {
        when: 'the condition is missing and the name is not a string',
        status: 400,
        change: withBody({ condition: undefined, name: 7 }),
      },
    ],
  },
  {
    line: 'POST /segments/preview',
    key: 'sk',
    success: 200,
    answer: ['count', ...under('sample.0', contactFields)],
    valid: async (world) => {
      await world.contact();
      return { body: { condition } };
    },
    required: ['condition'],
    missing: 400,
    refusals: conditionRefusals.map((refusal) => ({ ...refusal, code: 'BAD_REQUEST' })),
  },
  { line: 'GET /segments/:id', key: 'sk', success: 200, answer: segmentFields, valid: dynamic },
  {
    line: 'PATCH /segments/:id',
    key: 'sk',
    success: 200,
    answer: segmentFields,
    valid: async (world) => ({
      ...(await dynamic(world)),
      body: { name: 'Plus', description: null, condition, trackMembership: true },
    }),
    refusals: [
      stale,
      ...conditionRefusals.map((refusal) => ({ ...refusal, code: 'BAD_REQUEST' })),
      onStatic,
      {
        when: 'the name is longer than 100 characters',
        status: 422,
        change: withBody({ name: 'n'.repeat(101) }),
      },
    ],
  },
  {
    line: 'DELETE /segments/:id',
    key: 'sk',
    success: 204,
    valid: dynamic,
    refusals: [
      {
        when: 'an unfinished campaign is sent to it',
        status: 409,
        code: 'CONFLICT',
        change: async (valid, world) => {
          const content = { name: 'News', subject: 'News', body: '<p>News</p>', from: world.from };
          const audience = { audienceType: 'SEGMENT', segmentId: valid.params?.id };
          await world.call('POST', '/campaigns', { ...content, ...audience });
          return valid;
        },
      },
    ],
  },
  {
    line: 'GET /segments/:id/contacts',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', contactFields), ...largePageFields],
    valid: async (world) => {
      await world.contact();
      return { ...(await dynamic(world)), query: 'page=1&pageSize=1000' };
    },
    refusals: [{ when: 'the page is 0', status: 422, change: withQuery('page=0') }],
  },
  {
    line: 'GET /segments/:id/export',
    key: 'sk',
    success: 200,
    type: 'text/csv; charset=utf-8',
    valid: dynamic,
  },
  {
    line: 'GET /contacts/:id/segments',
    key: 'sk',
    success: 200,
    answer: ['data'],
    valid: async (world) => ({ params: { id: await world.contact() } }),
  },
  {
    line: 'POST /segments/:id/members',
    key: 'sk',
    success: 200,
    answer: ['added', 'created', 'notFound'],
    valid: members({ createMissing: true, subscribed: false }),
    required: ['emails'],
    refusals: memberRefusals,
  },
  {
    line: 'DELETE /segments/:id/members',
    key: 'sk',
    success: 200,
    answer: ['removed', 'notFound'],
    valid: members({}),
    required: ['emails'],
    refusals: memberRefusals,
  },
  {
    line: 'POST /segments/:id/compute',
    key: 'sk',
    success: 200,
    answer: ['added', 'removed', 'total'],
    valid: dynamic,
    refusals: [onStatic],
  },
  { line: 'POST /segments/:id/refresh', key: 'sk', success: 200, answer: ['memberCount'], valid: dynamic },
];
