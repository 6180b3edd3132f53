import type { SitePages } from '../../core/config/urls.ts';
import { DomainError, orNotFound, validationFailed } from '../../core/errors.ts';
import { BillingCustomer } from '../../db/entities/billing.ts';
import { Project } from '../../db/entities/project.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Orm } from '../../db/orm.ts';
import type { BillingProvider, Checkout } from '../../providers/billing/stripe.ts';
import { askProcessor, type BillingCaller, requireBillingAccess, requireProvider } from './billing-access.ts';
import { syncSubscription } from './billing-events.ts';

export interface BillingServiceOptions {
  orm: Orm;
  billing: BillingProvider | null;
  returnUrl: SitePages['billing'];
}

/** Concurrent calls replace each other's pages; one of them succeeds in each round. */
const mostTries = 10;

/**
 * All methods throw DomainError `NOT_FOUND`, `FORBIDDEN`, and `SERVICE_UNAVAILABLE` when billing is not configured or
 * the processor is down.
 */
export function createBillingService(options: BillingServiceOptions) {
  const { orm, billing, returnUrl } = options;
  async function admit(caller: BillingCaller, projectId: string): Promise<BillingProvider> {
    await requireBillingAccess(orm.em.fork(), caller, projectId);
    return requireProvider(billing);
  }

  return {
    /**
     * Returns the URL of a checkout page. It stays the same while the page is open.
     * @param priceId undefined for the default price
     * @throws DomainError `VALIDATION_ERROR` for an unknown price, `CONFLICT` when the project already has a
     * subscription
     */
    async checkout(caller: BillingCaller, projectId: string, wanted: string | undefined) {
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
      return openCheckout(options, provider, caller, projectId, priceId);
    },

    /**
     * Returns the URL of the portal.
     * @throws DomainError `CONFLICT` before the first checkout
     */
    async portal(caller: BillingCaller, projectId: string) {
      const provider = await admit(caller, projectId);
      const customer = await findCustomer(orm, projectId);
      const url = await askAbout(orm, provider, customer, (id) =>
        provider.openPortal(id, returnUrl(projectId)),
      );
      if (url !== undefined) return url;
      throw new DomainError('CONFLICT', 'The project has no billing account yet', {
        suggestion: 'POST /users/@me/projects/{id}/checkout opens one.',
      });
    },

    /**
     * Newest first.
     * @throws DomainError `BAD_REQUEST` for an invalid cursor
     */
    async invoices(
      caller: BillingCaller,
      projectId: string,
      page: { limit: number; after: string | undefined },
    ) {
      const provider = await admit(caller, projectId);
      const customer = await findCustomer(orm, projectId);
      const found = await askAbout(orm, provider, customer, (id) => provider.listInvoices(id, page));
      return found ?? { invoices: [], hasMore: false };
    },
  };
}

async function customerOf(
  orm: Orm,
  provider: BillingProvider,
  projectId: string,
  replaced: string | undefined,
): Promise<BillingCustomer> {
  const known = await findCustomer(orm, projectId);
  if (known !== null) return known;
  const customerId = await askProcessor(provider.createCustomer(projectId, replaced));
  return orm.em.fork().transactional(async (em) => {
    orNotFound(await lockRecord(em, Project, { id: projectId }), 'Project');
    // A concurrent call may have created it.
    const added = await em.findOne(BillingCustomer, { projectId });
    return added ?? em.create(BillingCustomer, { projectId, customerId });
  });
}

/** Returns false when a concurrent call replaced the page first, or the project is gone. */
function replaceCheckout(
  orm: Orm,
  { projectId, checkoutSessionId }: BillingCustomer,
  pageId: string,
): Promise<boolean> {
  return orm.em.fork().transactional(async (em) => {
    if ((await lockRecord(em, Project, { id: projectId })) === null) return false;
    const customer = await lockRecord(em, BillingCustomer, { projectId });
    if (customer === null || customer.checkoutSessionId !== (checkoutSessionId ?? null)) return false;
    customer.checkoutSessionId = pageId;
    return true;
  });
}

/** Returns the open page with this price; closes an open page with another price. */
async function openPage(
  orm: Orm,
  provider: BillingProvider,
  { projectId, checkoutSessionId }: BillingCustomer,
  priceId: string,
): Promise<string | undefined> {
  if (checkoutSessionId == null) return undefined;
  let page: Checkout | undefined = await askProcessor(provider.readCheckout(checkoutSessionId));
  if (page?.status === 'open') {
    if (page.priceId === priceId && page.url !== null) return page.url;
    page = await askProcessor(provider.closeCheckout(checkoutSessionId));
  }
  if (page?.status !== 'complete') return undefined;
  // The page was either just paid, with the notification still on its way, or the subscription has ended since.
  await syncSubscription(orm, provider, projectId);
  await requireUnsubscribed(orm, projectId);
  return undefined;
}

async function requireUnsubscribed(orm: Orm, projectId: string): Promise<void> {
  if (!(await findCustomer(orm, projectId))?.currentSubscription()) return;
  throw new DomainError('CONFLICT', 'The project already has a subscription', {
    suggestion: 'Change or end it in the billing portal.',
  });
}

/** Asks Stripe again: the notification of the subscription's end may have been lost. */
async function requireEnded(orm: Orm, provider: BillingProvider, projectId: string): Promise<void> {
  // While Stripe is away, the stored state counts.
  await syncSubscription(orm, provider, projectId).catch(() => undefined);
  await requireUnsubscribed(orm, projectId);
}

function findCustomer(orm: Orm, projectId: string): Promise<BillingCustomer | null> {
  return orm.em.fork().findOne(BillingCustomer, { projectId });
}

async function forget(orm: Orm, { projectId, customerId }: BillingCustomer): Promise<void> {
  await orm.em.fork().nativeDelete(BillingCustomer, { projectId, customerId });
}

/** Forgets a customer, with its subscription, that was deleted or is left from test mode: nobody pays for it. */
async function forgetLostCustomer(
  orm: Orm,
  provider: BillingProvider,
  customer: BillingCustomer,
): Promise<boolean> {
  const isLost = await provider.isLost(customer.customerId);
  if (isLost) await forget(orm, customer);
  return isLost;
}

/** Returns undefined without a customer, also when a lost one has just been forgotten. */
async function askAbout<Answer>(
  orm: Orm,
  provider: BillingProvider,
  customer: BillingCustomer | null,
  call: (customerId: string) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (customer === null) return undefined;
  try {
    return await askProcessor(call(customer.customerId));
  } catch (error) {
    if (await forgetLostCustomer(orm, provider, customer)) return undefined;
    throw error;
  }
}

async function openCheckout(
  { orm, returnUrl }: BillingServiceOptions,
  provider: BillingProvider,
  caller: BillingCaller,
  projectId: string,
  priceId: string,
): Promise<string> {
  let lost: string | undefined;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const customer = await customerOf(orm, provider, projectId, lost);
    if (customer.currentSubscription()) {
      if (await forgetLostCustomer(orm, provider, customer)) lost = customer.customerId;
      else await requireEnded(orm, provider, projectId);
      continue;
    }
    const open = await openPage(orm, provider, customer, priceId);
    if (open !== undefined) return open;
    const { customerId } = customer;
    const page = await askProcessor(
      provider.createCheckout({
        projectId,
        customerId,
        priceId,
        successUrl: returnUrl(projectId, 'success'),
        cancelUrl: returnUrl(projectId, 'cancelled'),
      }),
    );
    if (page === undefined) {
      lost = customerId;
      await forget(orm, customer);
      continue;
    }
    const isOurs = await replaceCheckout(orm, customer, page.id);
    if (isOurs && page.url !== null) return page.url;
    // A concurrent call won, or the project is gone: nobody must pay on this page.
    await askProcessor(provider.closeCheckout(page.id));
    await requireBillingAccess(orm.em.fork(), caller, projectId);
  }
  throw new DomainError('SERVICE_UNAVAILABLE', 'Another request is changing this checkout; try again');
}
