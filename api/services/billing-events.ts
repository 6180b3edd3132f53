import { DomainError } from '../../core/errors.ts';
import { BillingCustomer, StripeEvent } from '../../db/entities/billing.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Orm } from '../../db/orm.ts';
import type { BillingProvider } from '../../providers/billing/stripe.ts';
import { askProcessor, requireProvider } from './billing-access.ts';

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

type SyncOutcome = 'applied' | 'known' | 'ignored';

/**
 * Reads a project's subscription from the processor and stores it, because a notification may be out of date. A
 * result is stored only if no other was stored since the read began, so the newest wins in any order. Reads at most
 * twice: after two concurrent updates, the second was read after this call began.
 * @param event the notification to record as applied
 * @returns `known` when another process applied it first, `ignored` when the project has no customer
 * @throws DomainError `SERVICE_UNAVAILABLE` when the processor is down; nothing has changed then
 */
export async function syncSubscription(
  orm: Orm,
  provider: BillingProvider,
  projectId: string,
  event?: { id: string; type: string },
): Promise<SyncOutcome> {
  let first: number | undefined;
  for (;;) {
    const customer = await orm.em.fork().findOne(BillingCustomer, { projectId });
    if (customer === null) return 'ignored';
    first ??= customer.version;
    const isCovered = customer.version >= first + 2;
    const subscription = isCovered
      ? undefined
      : await askProcessor(provider.readSubscription(customer.customerId));
    const outcome = await orm.em.fork().transactional(async (em): Promise<SyncOutcome | 'outdated'> => {
      const locked = await lockRecord(em, BillingCustomer, { projectId });
      if (locked === null) return 'outdated';
      if (subscription !== undefined && !locked.storeSubscription(subscription, customer.version)) {
        return 'outdated';
      }
      if (event === undefined) return 'applied';
      // The customer's lock covers this check: all notifications with this id concern that customer.
      if ((await em.count(StripeEvent, { id: event.id })) > 0) return 'known';
      em.create(StripeEvent, { id: event.id, type: event.type });
      return 'applied';
    });
    if (outcome !== 'outdated') return outcome;
  }
}
