import Stripe from 'stripe';
import { z } from 'zod';
import { currentSubscription, isOver, type StoredSubscription } from '../../core/billing/subscription.ts';
import { DomainError } from '../../core/errors.ts';
import { BillingUnavailable } from './billing-unavailable.ts';

export interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  priceIds: readonly [string, ...string[]];
  apiUrl: string | undefined;
}

/**
 * Short, because an API request waits for the call. The client retries once, with the same idempotency key, when no
 * answer came.
 */
const longestCallMs = 8_000;
const retries = 1;
const pageSize = 100;

// Present in every notification about a subscription.
const customerOf = z.object({
  customer: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish(),
});
const aboutSubscriptions = /^(customer\.subscription|checkout\.session|invoice)\./;

const toDate = (seconds: number) => new Date(seconds * 1000);
const toText = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined ? null : toDate(seconds).toISOString();

export type BillingProvider = ReturnType<typeof createStripeProvider>;

/** All calls: @throws BillingUnavailable when Stripe is unreachable or refuses. */
export function createStripeProvider(options: StripeOptions, timeout = longestCallMs) {
  const stripe = new Stripe(options.secretKey, {
    ...addressOf(options.apiUrl),
    // The default client's timeout restarts with each byte.
    httpClient: Stripe.createFetchHttpClient(),
    timeout,
    maxNetworkRetries: retries,
    telemetry: false,
  });

  return {
    /** The default price first. */
    priceIds: options.priceIds,
    readCheckout: (id: string) => readCheckout(stripe, id),
    /** Closes a checkout. @returns its final state: `complete` when the customer paid first */
    closeCheckout: (id: string) => ask(() => closeCheckout(stripe, id)),

    /**
     * Idempotent while Stripe keeps idempotency keys.
     *
     * @param replaced a customer that no longer exists at Stripe
     * @returns the customer id
     */
    createCustomer: (projectId: string, replaced: string | undefined) =>
      ask(async () => {
        const customer = await stripe.customers.create(
          { metadata: { projectId } },
          { idempotencyKey: ['posthaste/customer', projectId, replaced].filter(Boolean).join('/') },
        );
        return customer.id;
      }),

    /**
     * @returns undefined when Stripe does not have the customer: it was deleted there, or created with the key of another
     * account or of test mode
     */
    createCheckout: (order: CheckoutOrder) =>
      ask(unlessMissing(() => createCheckout(stripe, order), 'customer')),

    isLost: (customer: string) => isLost(stripe, customer),

    openPortal: (customer: string, returnUrl: string) =>
      ask(async () => (await stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })).url),

    /**
     * Newest first, at most `limit` after the invoice `after`.
     *
     * @throws DomainError `BAD_REQUEST` when there is no such invoice
     */
    listInvoices: (customer: string, page: InvoicePage) => ask(() => listInvoices(stripe, customer, page)),

    /** The current subscription; null when there never was one. */
    readSubscription: (customer: string) =>
      ask(async () => {
        const all = await listSubscriptions(stripe, customer);
        const current = currentSubscription(
          all.map((one) => ({ status: one.status, createdAt: toDate(one.created), one })),
        );
        return current === undefined ? null : toSubscription(current.one);
      }),

    /** Closes every open checkout and cancels every subscription at once. Idempotent. */
    endCustomer: (customer: string) => ask(unlessMissing(() => endCustomer(stripe, customer))),

    readEvent(body: string, signature: string) {
      try {
        return toEvent(stripe.webhooks.constructEvent(body, signature, options.webhookSecret));
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

function addressOf(apiUrl: string | undefined): Stripe.StripeConfig {
  if (apiUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}

async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof Stripe.errors.StripeError) {
      throw new BillingUnavailable(`Stripe refused the call: ${cause.type}`, { cause });
    }
    throw cause;
  }
}

const isMissing = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';

/** @param param the call's parameter that names the object that may be missing; any by default */
function unlessMissing<Answer>(
  call: () => Promise<Answer>,
  param?: string,
): () => Promise<Answer | undefined> {
  return async () => {
    try {
      return await call();
    } catch (error) {
      if (isMissing(error) && (param === undefined || error.param === param)) return undefined;
      throw error;
    }
  };
}

/**
 * Whether nobody pays through the customer any more: it was deleted, or created in test mode while the key is a live one.
 * Also false when Stripe does not say: the stored customer is kept then.
 */
async function isLost(stripe: Stripe, customer: string): Promise<boolean> {
  try {
    // Only a key of the same account and mode still reads a deleted customer.
    return (await stripe.customers.retrieve(customer)).deleted === true;
  } catch (error) {
    // Stripe tells it apart from a customer of another account only in words: "No such customer: '…'; a similar object
    // exists in test mode, but a live mode key was used to make this request."
    return isMissing(error) && error.message.includes('exists in test mode');
  }
}

export type Checkout = ReturnType<typeof toCheckout>;

function toCheckout({ id, status, metadata, url }: Stripe.Checkout.Session) {
  return { id, status, priceId: metadata?.priceId ?? null, url };
}

function toSubscription(one: Stripe.Subscription): StoredSubscription {
  const item = one.items.data[0];
  const atPeriodEnd = one.cancel_at_period_end ? item?.current_period_end : null;
  return {
    id: one.id,
    status: one.status,
    priceId: item?.price.id ?? null,
    periodStart: toText(item?.current_period_start),
    periodEnd: toText(item?.current_period_end),
    endsAt: toText(one.ended_at ?? one.cancel_at ?? atPeriodEnd),
  };
}

/** Amounts in the smallest unit of the currency, which is named as in ISO 4217, in lower case. */
function toInvoice(invoice: Stripe.Invoice) {
  return {
    id: invoice.id,
    number: invoice.number,
    status: invoice.status,
    currency: invoice.currency,
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    createdAt: toDate(invoice.created),
    periodStart: toDate(invoice.period_start),
    periodEnd: toDate(invoice.period_end),
    hostedUrl: invoice.hosted_invoice_url ?? null,
    pdfUrl: invoice.invoice_pdf ?? null,
  };
}

/** `customerId`: whose subscription may have changed; null for other notifications. */
function toEvent({ id, type, data }: Stripe.Event) {
  const customerId = aboutSubscriptions.test(type) ? customerOf.parse(data.object).customer : null;
  return { id, type, customerId: customerId ?? null };
}

function refusalOf(error: unknown) {
  if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) return 'format';
  return error.message.includes('tolerance') ? 'timestamp' : 'signature';
}

async function listSubscriptions(stripe: Stripe, customer: string): Promise<Stripe.Subscription[]> {
  const found: Stripe.Subscription[] = [];
  for await (const one of stripe.subscriptions.list({ customer, status: 'all', limit: pageSize })) {
    found.push(one);
  }
  return found;
}

const readCheckout = (stripe: Stripe, id: string) =>
  ask(unlessMissing(async () => toCheckout(await stripe.checkout.sessions.retrieve(id))));

async function closeCheckout(stripe: Stripe, id: string): Promise<Checkout | undefined> {
  try {
    return toCheckout(await stripe.checkout.sessions.expire(id));
  } catch (error) {
    // No longer open; the caller reads its final state.
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return readCheckout(stripe, id);
    throw error;
  }
}

interface CheckoutOrder {
  projectId: string;
  customerId: string;
  priceId: string;
  successUrl: string;
  cancelUrl: string;
}

async function createCheckout(
  stripe: Stripe,
  { projectId, customerId, priceId, successUrl, cancelUrl }: CheckoutOrder,
): Promise<Checkout> {
  return toCheckout(
    await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customerId,
      client_reference_id: projectId,
      line_items: [{ price: priceId, quantity: 1 }],
      metadata: { projectId, priceId },
      subscription_data: { metadata: { projectId } },
      success_url: successUrl,
      cancel_url: cancelUrl,
    }),
  );
}

interface InvoicePage {
  limit: number;
  after: string | undefined;
}

async function listInvoices(stripe: Stripe, customer: string, { limit, after }: InvoicePage) {
  if (after !== undefined && !/^\w{1,255}$/.test(after)) throw invalidCursor();
  try {
    const page = await stripe.invoices.list({
      customer,
      limit,
      ...(after !== undefined && { starting_after: after }),
    });
    return { invoices: page.data.map(toInvoice), hasMore: page.has_more };
  } catch (error) {
    if (!isMissing(error) || after === undefined) throw error;
    throw invalidCursor(error);
  }
}

const invalidCursor = (cause?: unknown) =>
  new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', { cause });

async function endCustomer(stripe: Stripe, customer: string): Promise<void> {
  const open = stripe.checkout.sessions.list({ customer, status: 'open', limit: pageSize });
  for await (const { id } of open) await closeCheckout(stripe, id);
  // All checkouts are closed, so no new subscription can start.
  for (const one of await listSubscriptions(stripe, customer)) {
    if (!isOver(one)) await unlessMissing(() => stripe.subscriptions.cancel(one.id))();
  }
}
