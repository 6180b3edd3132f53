import type { Em } from '../../db/orm.ts';
import { findOrphanedCustomer, forgetCustomer } from '../../db/repositories/billing/customers.ts';
import { type BillingProvider, BillingUnavailable } from '../../providers/billing/billing-provider.ts';

/**
 * Ends every subscription of a deleted project at the payment processor, and forgets its customer. Can be cut off and
 * repeated; nothing happens to a project that exists.
 *
 * @param provider null where billing is not configured any more
 * @throws BillingUnavailable
 */
export async function endBilling(em: Em, provider: BillingProvider | null, projectId: string): Promise<void> {
  const customerId = await findOrphanedCustomer(em, projectId);
  if (customerId === undefined) return;
  if (provider === null)
    throw new BillingUnavailable('Billing is not configured, but a subscription is to end');
  await provider.endCustomer(customerId);
  await forgetCustomer(em, projectId);
}
