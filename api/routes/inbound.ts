import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { inboundSchema } from '../schemas/inbound.ts';

export const showInboundEmail = defineRoute('GET /inbound/:id', {
  summary: 'Get a received email',
  description:
    'By the `inboundId` of an `email.received` event. The sender is unauthenticated unless ' +
    '`verdicts.dmarc` is PASS.',
  responses: ok('The email.', inboundSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const email = await ctx.services.inbound.get(project.id, params.id);
    ctx.body = present(inboundSchema, { ...email, from: email.fromEmail, to: email.recipients });
  },
});
