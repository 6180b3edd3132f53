import { DomainError } from '../../core/errors.ts';
import { tryParseJson } from '../../core/json-value.ts';
import { type SnsMessage, snsMessageSchema } from '../../providers/sns/message.ts';
import type { SnsVerifier } from '../../providers/sns/verifier.ts';
import type { ProductMetrics } from '../../runtime/product-metrics.ts';
import type { InboundService } from './inbound.ts';
import type { NotificationOutcome, ProviderEventsService } from './provider-events.ts';

export interface SnsNotificationsOptions {
  verifier: SnsVerifier;
  providerEvents: ProviderEventsService;
  inbound: InboundService;
  metrics: ProductMetrics;
}

/** Verifies, confirms and applies what Amazon SNS posts. */
export function createSnsNotificationsService({
  verifier,
  providerEvents,
  inbound,
  metrics,
}: SnsNotificationsOptions) {
  async function requireTrust(message: SnsMessage): Promise<void> {
    const refusal = await verifier.verify(message);
    if (refusal === undefined) return;
    metrics.countNotification('refused');
    if (refusal === 'certificate') {
      throw new DomainError('SERVICE_UNAVAILABLE', 'The signing certificate could not be fetched');
    }
    throw new DomainError('FORBIDDEN', 'The message is not genuine or not of an accepted topic', {
      details: { reason: refusal },
    });
  }

  return {
    /**
     * Applies a notification to emails, or else to received email. Repeated deliveries are idempotent.
     * @param text body of the request, untrusted
     * @throws DomainError `FORBIDDEN` for a message that is not trusted, `SERVICE_UNAVAILABLE` without its certificate
     */
    async receive(text: string): Promise<'confirmed' | NotificationOutcome> {
      const message = snsMessageSchema.safeParse(tryParseJson(text)).data;
      if (message === undefined) {
        metrics.countNotification('refused');
        throw new DomainError('FORBIDDEN', 'This is not a message of Amazon SNS');
      }
      await requireTrust(message);
      switch (message.Type) {
        case 'SubscriptionConfirmation':
          await verifier.confirm(message);
          return 'confirmed';
        case 'UnsubscribeConfirmation':
          return 'ignored';
        case 'Notification': {
          const notification = { id: message.MessageId, publishedAt: new Date(message.Timestamp) };
          let outcome: NotificationOutcome = await providerEvents.apply(notification, message.Message);
          if (outcome === 'ignored') {
            outcome = (await inbound.accept(notification, message.Message)) ?? 'ignored';
          }
          metrics.countNotification(outcome);
          return outcome;
        }
      }
    },
  };
}
