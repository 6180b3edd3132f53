import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';

export const receiveSnsNotification = defineRoute('POST /webhooks/sns', {
  auth: 'none',
  summary: 'Receive notifications of the email provider',
  description:
    'Called by Amazon SNS. Verifies the signature (versions 1 and 2), certificate and topic. A ' +
    'notification is applied once, regardless of the order and number of deliveries. Received emails are ' +
    'accepted here and parsed in the background.',
  hot: true,
  bodyFormat: 'text',
  // An SNS message has at most 256 KB; JSON within JSON can make it four times as long.
  bodyLimitBytes: 1024 * 1024,
  body: z.string(),
  responses: ok(
    "Applied, already applied, unrelated to our emails and domains, or an email beyond its projects' " +
      'limits.',
    z.object({ outcome: z.string() }),
  ),
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { body }) {
    ctx.body = { outcome: await ctx.services.snsNotifications.receive(body) };
  },
});

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
