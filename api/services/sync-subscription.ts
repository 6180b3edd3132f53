import type { Orm } from '../../db/orm.ts';
import { findCustomer, recordEvent, storeSubscription } from '../../db/repositories/billing/customers.ts';
import type { BillingProvider } from '../../providers/billing/billing-provider.ts';
import { askProcessor } from './billing-access.ts';

export type SyncOutcome = 'applied' | 'known' | 'ignored';

/**
 * Asks the processor how the subscription of a project stands and stores that: what a notification says may be older
 * than what is known already. An answer is only stored when nothing was stored since before it was asked for, so
 * whatever the order, the newest stays. Asks twice at most: what others have stored twice meanwhile, the second time
 * was asked for after this call.
 *
 * @param event the notification that it is for, which counts as applied once this has answered
 * @returns `known` when another process has applied it meanwhile, `ignored` when the project has no customer any more
 * @throws DomainError `SERVICE_UNAVAILABLE` while the processor is away; nothing has changed then
 */
export async function syncSubscription(
  orm: Orm,
  provider: BillingProvider,
  projectId: string,
  event?: { id: string; type: string },
): Promise<SyncOutcome> {
  let first: number | undefined;
  for (;;) {
    const customer = await findCustomer(orm.em.fork(), projectId);
    if (customer === undefined) return 'ignored';
    first ??= customer.version;
    const isCovered = customer.version >= first + 2;
    const subscription = isCovered
      ? undefined
      : await askProcessor(provider.readSubscription(customer.customerId));
    const outcome = await orm.em.fork().transactional(async (em): Promise<SyncOutcome | 'outdated'> => {
      if (subscription !== undefined && !(await storeSubscription(em, customer, subscription))) {
        return 'outdated';
      }
      return event === undefined || (await recordEvent(em, event)) ? 'applied' : 'known';
    });
    if (outcome !== 'outdated') return outcome;
  }
}
