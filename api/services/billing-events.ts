import { DomainError } from '../../core/errors.ts';
import type { Orm } from '../../db/orm.ts';
import { findCustomerById, isKnownEvent } from '../../db/repositories/billing/customers.ts';
import type { BillingProvider } from '../../providers/billing/billing-provider.ts';
import { requireProvider } from './billing-access.ts';
import { type SyncOutcome, syncSubscription } from './sync-subscription.ts';

export interface BillingEventsService {
  /**
   * Applies a notification of the payment processor, once however often it comes.
   *
   * @param body as it came in, byte by byte
   * @returns `known` for a repeated one, `ignored` for one that is about no subscription of ours
   * @throws DomainError `FORBIDDEN` when it is not genuine or too old, `SERVICE_UNAVAILABLE` while the processor is
   * away and where billing is not configured
   */
  receive(body: string, signature: string): Promise<SyncOutcome>;
}

export function createBillingEventsService(orm: Orm, billing: BillingProvider | null): BillingEventsService {
  return {
    async receive(body, signature) {
      const provider = requireProvider(billing);
      const event = provider.readEvent(body, signature);
      if (typeof event === 'string') {
        throw new DomainError('FORBIDDEN', 'The notification is not genuine, or too old', {
          details: { reason: event },
        });
      }
      if (event.customerId === null) return 'ignored';
      const em = orm.em.fork();
      if (await isKnownEvent(em, event.id)) return 'known';
      const customer = await findCustomerById(em, event.customerId);
      if (customer === undefined) return 'ignored';
      return syncSubscription(orm, provider, customer.projectId, event);
    },
  };
}
