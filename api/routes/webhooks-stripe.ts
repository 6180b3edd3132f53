import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';

export const receiveStripeNotification = defineRoute('POST /webhooks/incoming/stripe', {
  auth: 'none',
  summary: 'Receive notifications of the payment processor',
  description:
    'Called by Stripe. Verifies the signature and its age, at most five minutes. A notification is ' +
    'applied once, regardless of the order and number of deliveries.',
  bodyFormat: 'text',
  bodyLimitBytes: 1024 * 1024,
  body: z.string(),
  headers: z.object({ 'stripe-signature': z.string().max(4096).default('') }),
  responses: ok(
    'Applied, already applied, or unrelated to our subscriptions.',
    z.object({ outcome: z.enum(['applied', 'known', 'ignored']) }),
  ),
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { body, headers }) {
    const outcome = await ctx.services.billingEvents.receive(body, headers['stripe-signature']);
    ctx.body = { outcome };
  },
});
