import { defineRoute } from '../edge/define-route.ts';
import {
  listSuppressionsQuerySchema,
  suppressionPageSchema,
  suppressionParamsSchema,
} from '../schemas/suppressions.ts';

const tags = ['Suppressions'];

export const listSuppressions = defineRoute({
  method: 'GET',
  path: '/suppressions',
  auth: 'secretKey',
  tags,
  summary: 'List suppressed addresses, latest first',
  description:
    'Contacts after a hard bounce or a complaint. No MARKETING or HEADLESS email goes out to them, and no ' +
    'transactional one either where the project says so. What is held back has the status SUPPRESSED and shows in ' +
    'the activity feed as `email.bounced` with `bounceType` Suppressed.',
  query: listSuppressionsQuerySchema,
  responses: { 200: { description: 'A page of suppressions.', schema: suppressionPageSchema } },
  errors: ['BAD_REQUEST'],
  async handler({ project, query, services }) {
    const { rows, cursor, total } = await services.suppressions.list(project.id, query);
    const data = rows.map((row) => ({ ...row, suppressedAt: row.suppressedAt.toISOString() }));
    return { status: 200, body: { data, cursor, hasMore: cursor !== null, total } };
  },
});

export const liftSuppression = defineRoute({
  method: 'DELETE',
  path: '/suppressions/:email',
  auth: 'secretKey',
  tags,
  summary: 'Lift a suppression',
  description:
    'Transactional email goes out to the address again. The contact stays unsubscribed, so that marketing does not: ' +
    'for that, set `subscribed` to true, which lifts a suppression too.',
  params: suppressionParamsSchema,
  responses: { 204: { description: 'Lifted.' } },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { email }, services }) {
    await services.suppressions.lift(project.id, email);
    return { status: 204 };
  },
});
