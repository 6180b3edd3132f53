import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import type { ProjectWebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { defineRoute } from '../edge/define-route.ts';

const tags = ['Projects'];
const params = z.object({ id: idSchema });

const secretSchema = z
  .object({
    secret: z.string().describe('As the libraries of Standard Webhooks take it.'),
    previousSecret: z.string().nullable().describe('The one before, while it signs too.'),
    previousSecretValidUntil: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookSecret' });

const present = ({ current, previous }: ProjectWebhookSecrets): z.output<typeof secretSchema> => ({
  secret: current,
  previousSecret: previous?.secret ?? null,
  previousSecretValidUntil: previous?.until.toISOString() ?? null,
});

const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previousSecret: null,
  previousSecretValidUntil: null,
};

export const readWebhookSecret = defineRoute({
  method: 'GET',
  path: '/projects/:id/webhook-secret',
  auth: 'user',
  tags,
  summary: 'The secret that signs the webhooks of workflows',
  description: `For owners and admins. Each call of a WEBHOOK step carries \`webhook-id\`, \`webhook-timestamp\` and
\`webhook-signature\` (Standard Webhooks): verify them with this secret before you trust a call.`,
  params,
  responses: { 200: { description: 'The secret.', schema: secretSchema, example } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, params, services }) {
    return { status: 200, body: present(await services.projectWebhookSecret.read(user.id, params.id)) };
  },
});

export const rotateWebhookSecret = defineRoute({
  method: 'POST',
  path: '/projects/:id/webhook-secret/rotate',
  auth: 'user',
  tags,
  summary: 'Replace the secret that signs webhooks',
  description: `For owners and admins. For 24 hours each call carries two signatures, of the new secret and of the one before, so
that receivers can change over. Who rotates a second time within that time ends the first one at once.`,
  params,
  responses: {
    200: {
      description: 'The new secret.',
      schema: secretSchema,
      example: {
        ...example,
        previousSecret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
        previousSecretValidUntil: '2026-02-01T09:00:00.000Z',
      },
    },
  },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, params, services }) {
    return { status: 200, body: present(await services.projectWebhookSecret.rotate(user.id, params.id)) };
  },
});
