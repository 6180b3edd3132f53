import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/suppressions.ts';

export const listSuppressions = defineRoute('GET /suppressions', {
  summary: 'List suppressed addresses, latest first',
  description:
    'Contacts after a hard bounce or a complaint. They receive no MARKETING or HEADLESS email, and no ' +
    'transactional email if the project is configured so. Withheld emails have the status SUPPRESSED and ' +
    'appear in the activity feed as `email.bounced` with `bounceType` Suppressed.',
  query: schemas.listSuppressionsQuerySchema,
  responses: ok('A page of suppressions.', schemas.suppressionPageSchema),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    const { rows, cursor, total, totalAccuracy } = await ctx.services.suppressions.list(project.id, query);
    const data = rows.map((row) => present(schemas.suppressionSchema, row));
    ctx.body = { data, cursor, hasMore: cursor !== null, total, totalAccuracy };
  },
});

export const liftSuppression = defineRoute('DELETE /suppressions/:email', {
  summary: 'Lift a suppression',
  description:
    'The address receives transactional email again. The contact stays unsubscribed and receives no ' +
    'marketing; setting `subscribed` to true changes that and also lifts the suppression.',
  params: schemas.suppressionParamsSchema,
  responses: { 204: { description: 'Lifted.' } },
  errors: ['NOT_FOUND'],
  handler: (ctx, { project, params }) => ctx.services.suppressions.lift(project.id, params.email),
});
