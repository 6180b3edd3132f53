import { defineRoute, ok } from '../edge/define-route.ts';
import { trackAnswerSchema, trackBodySchema } from '../schemas/track.ts';
import type { Services } from '../services/services.ts';

const description =
  'Records an event and creates or updates the contact; new contacts are subscribed by default. Names ' +
  'reserved for the service (`email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.*.entry`, ' +
  '`segment.*.exit`) are refused. The body has at most 1 MB. A project has at most 10,000 event names and ' +
  '10,000 keys of `data`: beyond that, new ones are refused with 422 (`limit_reached`) and existing ones ' +
  'keep working.';

const presentTracked = ({
  contactId,
  eventId,
  occurredAt,
}: Awaited<ReturnType<Services['track']['track']>>) => ({
  success: true as const,
  data: { contact: contactId, event: eventId, timestamp: occurredAt.toISOString() },
});

const declaration = {
  refuseDisabledProject: true,
  idempotent: 'byProject',
  bodyLimitBytes: 1024 * 1024,
  body: trackBodySchema,
  bodyExample: { email: 'ada@example.com', event: 'signed_up', data: { plan: 'pro' } },
  responses: ok('Recorded.', trackAnswerSchema),
  errors: ['IDEMPOTENCY_KEY_REUSED'],
} as const;

export const trackEvent = defineRoute('POST /v1/track', {
  ...declaration,
  auth: 'publicKey',
  summary: 'Track an event',
  description: `${description} May be called from browsers with the public key.`,
  crossOrigin: true,
  hot: true,
  async handler(ctx, { project, body }) {
    ctx.body = presentTracked(await ctx.services.track.track(project.id, body));
  },
});

export const trackEventFromDashboard = defineRoute('POST /events/track', {
  ...declaration,
  tags: ['Events'],
  summary: 'Track an event with the secret key',
  description,
  async handler(ctx, { project, body }) {
    ctx.body = presentTracked(await ctx.services.track.track(project.id, body));
  },
});
