import { z } from 'zod';
import { defineRoute } from '../edge/define-route.ts';

export const receiveStripeNotification = defineRoute({
  method: 'POST',
  path: '/webhooks/incoming/stripe',
  auth: 'none',
  tags: ['Webhooks'],
  summary: 'Receive notifications of the payment processor',
  description:
    'Called by Stripe. The signature is checked, and that it is at most five minutes old; a notification is applied ' +
    'once, whatever the order and number of its deliveries.',
  bodyFormat: 'text',
  bodyLimitBytes: 1024 * 1024,
  body: z.string(),
  headers: z.object({ 'stripe-signature': z.string().max(4096).default('') }),
  responses: {
    200: {
      description: 'Applied, known already, or not about a subscription of ours.',
      schema: z.object({ outcome: z.enum(['applied', 'known', 'ignored']) }),
    },
  },
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler({ body, headers, services }) {
    const outcome = await services.billingEvents.receive(body, headers['stripe-signature']);
    return { status: 200, body: { outcome } };
  },
});
