import { DomainError } from '../../core/errors.ts';
import { BillingCustomer, StripeEvent } from '../../db/entities/billing.ts';
import type { Orm } from '../../db/orm.ts';
import type { BillingProvider } from '../../providers/billing/billing-provider.ts';
import { requireProvider } from './billing-access.ts';
import { syncSubscription } from './sync-subscription.ts';

export function createBillingEventsService(orm: Orm, billing: BillingProvider | null) {
  return {
    /**
     * Applies a notification of the payment processor; repeated deliveries are idempotent.
     * @param body raw, because the signature covers its bytes
     * @returns `known` for a repeated notification, `ignored` when it concerns none of our customers
     * @throws DomainError `FORBIDDEN` for an invalid signature or an old notification, `SERVICE_UNAVAILABLE` when the
     * processor is down or billing is not configured
     */
    async receive(body: string, signature: string) {
      const provider = requireProvider(billing);
      const event = provider.readEvent(body, signature);
      if (typeof event === 'string') {
        throw new DomainError('FORBIDDEN', 'The notification is not genuine, or too old', {
          details: { reason: event },
        });
      }
      if (event.customerId === null) return 'ignored';
      const em = orm.em.fork();
      if ((await em.count(StripeEvent, { id: event.id })) > 0) return 'known';
      const customer = await em.findOne(BillingCustomer, { customerId: event.customerId });
      if (customer === null) return 'ignored';
      return syncSubscription(orm, provider, customer.projectId, event);
    },
  };
}
