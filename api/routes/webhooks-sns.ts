import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { tryParseJson } from '../../core/json-value.ts';
import { snsMessageSchema } from '../../providers/sns/message.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { NotificationOutcome } from '../services/provider-events.ts';

export const receiveSnsNotification = defineRoute({
  method: 'POST',
  path: '/webhooks/sns',
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
  responses: {
    200: {
      description:
        "Applied, already applied, unrelated to our emails and domains, or an email beyond its projects' " +
        'limits.',
      schema: z.object({ outcome: z.string() }),
    },
  },
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler(ctx) {
    const { services } = ctx;
    const message = snsMessageSchema.safeParse(tryParseJson(ctx.state.body)).data;
    if (message === undefined) throw new DomainError('FORBIDDEN', 'This is not a message of Amazon SNS');
    const refusal = await services.sns.verify(message);
    if (refusal !== undefined) services.notifications.count('refused');
    if (refusal === 'certificate') {
      throw new DomainError('SERVICE_UNAVAILABLE', 'The signing certificate could not be fetched');
    }
    if (refusal !== undefined) {
      throw new DomainError('FORBIDDEN', 'The message is not genuine or not of an accepted topic', {
        details: { reason: refusal },
      });
    }
    switch (message.Type) {
      case 'SubscriptionConfirmation':
        await services.sns.confirm(message);
        ctx.body = { outcome: 'confirmed' };
        return;
      case 'UnsubscribeConfirmation':
        ctx.body = { outcome: 'ignored' };
        return;
      case 'Notification': {
        const notification = { id: message.MessageId, publishedAt: new Date(message.Timestamp) };
        let outcome: NotificationOutcome = await services.providerEvents.apply(notification, message.Message);
        if (outcome === 'ignored') {
          outcome = (await services.inbound.accept(notification, message.Message)) ?? 'ignored';
        }
        services.notifications.count(outcome);
        ctx.body = { outcome };
      }
    }
  },
});
