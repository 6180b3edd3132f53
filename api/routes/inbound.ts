import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { inboundSchema, presentInbound } from '../presenters/inbound.ts';

export const showInboundEmail = defineRoute({
  method: 'GET',
  path: '/inbound/:id',
  auth: 'secretKey',
  tags: ['Events'],
  summary: 'Get an email that came in',
  description:
    'By the `inboundId` of an event `email.received`. Nobody has proven who wrote it unless `verdicts.dmarc` is PASS.',
  params: z.object({ id: idSchema }),
  responses: { 200: { description: 'The email.', schema: inboundSchema } },
  errors: ['NOT_FOUND'],
  handler: async ({ project, params, services }) => ({
    status: 200,
    body: presentInbound(await services.inbound.get(project.id, params.id)),
  }),
});
