import { type ContractLine, under, withBody, withHeaders } from '../line.ts';
import type { World } from '../world.ts';
import { cursorFields } from './fields.ts';

const categories = ['transactional', 'campaigns', 'workflows', 'inbound'];
const path = '/users/@me/projects/:id' as const;
const shared = { key: 'session or sk', role: 'ADMIN', success: 200 } as const;
const own = ({ project }: World) => ({ params: { id: project.id } });
/** A project with a Stripe customer, created by opening a checkout. */
async function known(world: World) {
  await world.owner.call('POST', `/users/@me/projects/${world.project.id}/checkout`, {});
  return own(world);
}

export const billingLines: readonly ContractLine[] = [
  {
    ...shared,
    line: `POST ${path}/checkout`,
    answer: ['url'],
    valid: (world) => ({ ...own(world), body: {} }),
    refusals: [
      { when: 'the price is not one of ours', status: 422, change: withBody({ priceId: 'price_of_others' }) },
    ],
  },
  {
    ...shared,
    line: `POST ${path}/billing-portal`,
    answer: ['url'],
    valid: known,
    refusals: [
      {
        when: 'no checkout was opened',
        status: 409,
        code: 'CONFLICT',
        change: async (_, { owner }) => {
          const { body } = await owner.call('POST', '/users/@me/projects', { name: 'Stall' });
          return { params: { id: body.id } };
        },
      },
    ],
  },
  {
    ...shared,
    line: `GET ${path}/billing-invoices`,
    answer: ['data', ...cursorFields],
    valid: async (world) => ({ ...(await known(world)), query: 'limit=1000' }),
    refusals: [{ when: 'the limit is 0', status: 422, change: (valid) => ({ ...valid, query: 'limit=0' }) }],
  },
  { ...shared, line: `GET ${path}/billing-limits`, answer: categories, valid: own },
  {
    ...shared,
    line: `PUT ${path}/billing-limits`,
    answer: categories,
    valid: (world) => ({ ...own(world), body: { transactional: 1_000_000, workflows: null } }),
    refusals: [
      { when: 'a limit is negative', status: 422, change: withBody({ transactional: -1 }) },
      { when: 'a limit is not an integer', status: 422, change: withBody({ campaigns: 1.5 }) },
    ],
  },
  {
    ...shared,
    line: `GET ${path}/billing-consumption`,
    answer: [
      'period.start',
      'period.end',
      'subscription',
      ...categories.flatMap((name) => under(`categories.${name}`, ['used', 'limit', 'remaining'])),
    ],
    valid: own,
  },
  {
    line: 'POST /webhooks/incoming/stripe',
    key: 'none',
    success: 200,
    answer: ['outcome'],
    valid: (world) => world.payment(),
    refusals: [
      {
        when: 'the signature is wrong',
        status: 403,
        code: 'FORBIDDEN',
        change: withHeaders({ 'Stripe-Signature': `t=1,v1=${'0'.repeat(64)}` }),
      },
      {
        when: 'the signature is missing',
        status: 403,
        code: 'FORBIDDEN',
        change: (valid) => ({ body: valid.body }),
      },
    ],
  },
];
