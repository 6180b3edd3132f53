import { BillingCustomer } from '../../../db/entities/billing.ts';
import { Project } from '../../../db/entities/project.ts';
import type { Em } from '../../../db/orm.ts';
import { BillingUnavailable } from '../../../providers/billing/billing-unavailable.ts';
import type { BillingProvider } from '../../../providers/billing/stripe.ts';

/**
 * Ends all subscriptions of a deleted project at the payment processor and deletes its billing customer.
 * Idempotent; does nothing while the project exists.
 *
 * @param provider null when billing is no longer configured
 * @throws BillingUnavailable
 */
export async function endBilling(em: Em, provider: BillingProvider | null, projectId: string): Promise<void> {
  if ((await em.count(Project, { id: projectId })) > 0) return;
  const customer = await em.fork().findOne(BillingCustomer, { projectId });
  if (customer === null) return;
  if (provider === null)
    throw new BillingUnavailable('Billing is not configured, but a subscription has to be ended');
  await provider.endCustomer(customer.customerId);
  await em.nativeDelete(BillingCustomer, { projectId });
}
