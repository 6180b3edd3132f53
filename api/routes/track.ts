import { defineRoute } from '../edge/define-route.ts';
import type { Services } from '../edge/services.ts';
import { type TrackBody, trackAnswerSchema, trackBodySchema } from '../schemas/track.ts';

async function track(services: Services, projectId: string, body: TrackBody) {
  const { contactId, eventId, occurredAt } = await services.track.track(projectId, body);
  return {
    status: 200 as const,
    body: {
      success: true as const,
      data: { contact: contactId, event: eventId, timestamp: occurredAt.toISOString() },
    },
  };
}

const description =
  'Records an event and creates or updates the contact, who is subscribed by default when new. Names that the ' +
  'service emits itself (`email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.*.entry`, ' +
  '`segment.*.exit`) are refused. The body has at most 1 MB. A project has at most 10,000 event names and 10,000 keys ' +
  'of `data`: beyond that, new ones are refused with 422 (`limit_reached`), and those it has go on working.';

const declaration = {
  refuseDisabledProject: true,
  idempotent: true,
  bodyLimitBytes: 1024 * 1024,
  body: trackBodySchema,
  bodyExample: { email: 'ada@example.com', event: 'signed_up', data: { plan: 'pro' } },
  responses: { 200: { description: 'Recorded.', schema: trackAnswerSchema } },
  errors: ['IDEMPOTENCY_KEY_REUSED'],
} as const;

export const trackEvent = defineRoute({
  ...declaration,
  method: 'POST',
  path: '/v1/track',
  auth: 'publicKey',
  tags: ['Public API'],
  summary: 'Track an event',
  description: `${description} May be called from browsers with the public key.`,
  crossOrigin: true,
  handler: ({ project, body, services }) => track(services, project.id, body),
});

export const trackEventFromDashboard = defineRoute({
  ...declaration,
  method: 'POST',
  path: '/events/track',
  auth: 'secretKey',
  tags: ['Events'],
  summary: 'Track an event with the secret key',
  description,
  handler: ({ project, body, services }) => track(services, project.id, body),
});
