import { z } from 'zod';
import type { ProjectWebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { nullableText } from '../schemas/nullable.ts';

const secretSchema = z
  .object({
    secret: z.string().describe('In the format of the Standard Webhooks libraries.'),
    previousSecret: nullableText.describe('The previous secret, while it is still used for signing.'),
    previousSecretValidUntil: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookSecret' });

const presentSecret = ({ current, previous }: ProjectWebhookSecrets): z.output<typeof secretSchema> => ({
  secret: current,
  previousSecret: previous?.secret ?? null,
  previousSecretValidUntil: previous?.until.toISOString() ?? null,
});

const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previousSecret: null,
  previousSecretValidUntil: null,
};

export const readWebhookSecret = defineRoute('GET /projects/:id/webhook-secret', {
  auth: 'user',
  summary: 'The secret that signs the webhooks of workflows',
  description: `Requires an owner or admin. Each call of a WEBHOOK step carries \`webhook-id\`, \`webhook-timestamp\` and
\`webhook-signature\` (Standard Webhooks): verify them with this secret before you trust a call.`,
  responses: ok('The secret.', secretSchema, example),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, params }) {
    ctx.body = presentSecret(await ctx.services.projectWebhookSecret.read(user.id, params.id));
  },
});

export const rotateWebhookSecret = defineRoute('POST /projects/:id/webhook-secret/rotate', {
  auth: 'user',
  summary: 'Replace the secret that signs webhooks',
  description: `Requires an owner or admin. For 24 hours each call carries two signatures, from the new and the previous secret, so that receivers
can switch over. A second rotation within that time invalidates the first secret at once.`,
  responses: ok('The new secret.', secretSchema, {
    ...example,
    previousSecret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    previousSecretValidUntil: '2026-02-01T09:00:00.000Z',
  }),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, params }) {
    ctx.body = presentSecret(await ctx.services.projectWebhookSecret.rotate(user.id, params.id));
  },
});
