import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { snsMessageSchema } from '../../providers/sns/message.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { NotificationOutcome } from '../services/provider-events.ts';

function parseMessage(text: string) {
  try {
    return snsMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const receiveSnsNotification = defineRoute({
  method: 'POST',
  path: '/webhooks/sns',
  auth: 'none',
  tags: ['Webhooks'],
  summary: 'Receive notifications of the email provider',
  description:
    'Called by Amazon SNS. Signature (versions 1 and 2), certificate and topic are checked; a notification is ' +
    'applied once, whatever the order and number of its deliveries. An email that SES received is accepted here and ' +
    'read in the background.',
  bodyFormat: 'text',
  // A message has at most 256 KB; as JSON within JSON it may be up to four times as long.
  bodyLimitBytes: 1024 * 1024,
  body: z.string(),
  responses: {
    200: {
      description:
        'Applied, known already, not about an email or domain of ours, or an email beyond the limits of its projects.',
      schema: z.object({ outcome: z.string() }),
    },
  },
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler({ body, services }) {
    const message = parseMessage(body);
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
        return { status: 200, body: { outcome: 'confirmed' } };
      case 'UnsubscribeConfirmation':
        return { status: 200, body: { outcome: 'ignored' } };
      case 'Notification': {
        let outcome: NotificationOutcome = await services.providerEvents.apply(
          message.MessageId,
          message.Message,
        );
        if (outcome === 'ignored') {
          outcome = (await services.inbound.accept(message.MessageId, message.Message)) ?? 'ignored';
        }
        services.notifications.count(outcome);
        return { status: 200, body: { outcome } };
      }
    }
  },
});
