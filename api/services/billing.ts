import { isOver } from '../../core/billing/subscription.ts';
import type { SitePages } from '../../core/config/site-pages.ts';
import { DomainError, notFound, validationFailed } from '../../core/errors.ts';
import type { Orm } from '../../db/orm.ts';
import {
  addCustomer,
  type BillingCustomerRecord,
  findCustomer,
  replaceCheckout,
} from '../../db/repositories/billing/customers.ts';
import type { BillingProvider, Checkout, Invoice } from '../../providers/billing/billing-provider.ts';
import { askProcessor, type BillingCaller, requireBillingAccess, requireProvider } from './billing-access.ts';
import { syncSubscription } from './sync-subscription.ts';

/** All: @throws DomainError `NOT_FOUND`, `FORBIDDEN`, `SERVICE_UNAVAILABLE` without the processor. */
export interface BillingService {
  /**
   * @param priceId undefined for the usual one
   * @returns the address of the page to subscribe at, which stays the same while it is open
   * @throws DomainError `VALIDATION_ERROR` for another price, `CONFLICT` when the project has a subscription
   */
  checkout(caller: BillingCaller, projectId: string, priceId: string | undefined): Promise<string>;
  /** @returns the address of the portal. @throws DomainError `CONFLICT` before the first checkout */
  portal(caller: BillingCaller, projectId: string): Promise<string>;
  /** The newest first. @throws DomainError `BAD_REQUEST` for a cursor that is none */
  invoices(
    caller: BillingCaller,
    projectId: string,
    page: { limit: number; after: string | undefined },
  ): Promise<{ invoices: Invoice[]; hasMore: boolean }>;
}

export interface BillingServiceOptions {
  orm: Orm;
  /** Null where billing is not configured. */
  billing: BillingProvider | null;
  /** Where people come back to. */
  returnUrl: SitePages['billing'];
}

/** Several calls at one moment replace each other's pages; one of them wins every time. */
const mostTries = 10;

function isSubscribed(): DomainError {
  return new DomainError('CONFLICT', 'The project has a subscription', {
    suggestion: 'Change or end it in the billing portal.',
  });
}

/** What projects pay, through the payment processor. */
export function createBillingService({ orm, billing, returnUrl }: BillingServiceOptions): BillingService {
  async function admit(caller: BillingCaller, projectId: string): Promise<BillingProvider> {
    await requireBillingAccess(orm.em.fork(), caller, projectId);
    return requireProvider(billing);
  }

  async function customerOf(provider: BillingProvider, projectId: string): Promise<BillingCustomerRecord> {
    const known = await findCustomer(orm.em.fork(), projectId);
    if (known !== undefined) return known;
    await addCustomer(orm.em.fork(), projectId, await askProcessor(provider.createCustomer(projectId)));
    const added = await findCustomer(orm.em.fork(), projectId);
    if (added === undefined) throw notFound('Project');
    return added;
  }

  /** The page that is open with this price; closes one with another price. */
  async function openPage(
    provider: BillingProvider,
    { projectId, checkoutSessionId }: BillingCustomerRecord,
    priceId: string,
  ): Promise<string | undefined> {
    if (checkoutSessionId === null) return undefined;
    let page: Checkout | undefined = await askProcessor(provider.readCheckout(checkoutSessionId));
    if (page?.status === 'open') {
      if (page.priceId === priceId && page.url !== null) return page.url;
      page = await askProcessor(provider.closeCheckout(checkoutSessionId));
    }
    if (page?.status !== 'complete') return undefined;
    // Paid at a moment ago, and its notification is still on its way; or the subscription has ended since.
    await syncSubscription(orm, provider, projectId);
    const subscription = (await findCustomer(orm.em.fork(), projectId))?.subscription;
    if (subscription && !isOver(subscription)) throw isSubscribed();
    return undefined;
  }

  return {
    async checkout(caller, projectId, wanted) {
      const provider = await admit(caller, projectId);
      const priceId = wanted ?? provider.priceIds[0];
      if (!provider.priceIds.includes(priceId)) {
        throw validationFailed([
          {
            field: 'priceId',
            message: `Must be one of ${provider.priceIds.join(', ')}`,
            code: 'invalid_value',
            received: priceId,
          },
        ]);
      }
      for (let tries = 0; tries < mostTries; tries += 1) {
        const customer = await customerOf(provider, projectId);
        if (customer.subscription && !isOver(customer.subscription)) throw isSubscribed();
        const open = await openPage(provider, customer, priceId);
        if (open !== undefined) return open;
        const order = { projectId, customerId: customer.customerId, priceId };
        const page = await askProcessor(
          provider.createCheckout({
            ...order,
            successUrl: returnUrl(projectId, 'success'),
            cancelUrl: returnUrl(projectId, 'cancelled'),
          }),
        );
        const isOurs = await replaceCheckout(orm.em.fork(), projectId, customer.checkoutSessionId, page.id);
        if (isOurs && page.url !== null) return page.url;
        // Another call was faster, or the project is gone: nobody is to pay here.
        await askProcessor(provider.closeCheckout(page.id));
        await requireBillingAccess(orm.em.fork(), caller, projectId);
      }
      throw new DomainError('SERVICE_UNAVAILABLE', 'The checkout is contended; try again');
    },

    async portal(caller, projectId) {
      const provider = await admit(caller, projectId);
      const customer = await findCustomer(orm.em.fork(), projectId);
      if (customer === undefined) {
        throw new DomainError('CONFLICT', 'The project has never been to a checkout', {
          suggestion: 'POST /users/@me/projects/{id}/checkout opens one.',
        });
      }
      return askProcessor(provider.openPortal(customer.customerId, returnUrl(projectId)));
    },

    async invoices(caller, projectId, page) {
      const provider = await admit(caller, projectId);
      const customer = await findCustomer(orm.em.fork(), projectId);
      if (customer === undefined) return { invoices: [], hasMore: false };
      return askProcessor(provider.listInvoices(customer.customerId, page));
    },
  };
}
