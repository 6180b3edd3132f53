import type { StoredSubscription } from '../../core/billing/subscription.ts';

/** The payment processor did not answer or refused the call; a retry may succeed. */
export class BillingUnavailable extends Error {
  override readonly name = 'BillingUnavailable';
}

export interface Checkout {
  id: string;
  status: 'open' | 'complete' | 'expired';
  priceId: string | null;
  url: string | null;
}

export interface CheckoutOrder {
  projectId: string;
  customerId: string;
  priceId: string;
  successUrl: string;
  cancelUrl: string;
}

/** Amounts in the smallest unit of the currency. */
export interface Invoice {
  id: string;
  // Null for a draft.
  number: string | null;
  status: string | null;
  /** ISO 4217 in lower case. */
  currency: string;
  amountDue: number;
  amountPaid: number;
  createdAt: Date;
  periodStart: Date;
  periodEnd: Date;
  hostedUrl: string | null;
  pdfUrl: string | null;
}

export interface BillingEvent {
  id: string;
  type: string;
  /** Customer whose subscription may have changed; null for other notifications. */
  customerId: string | null;
}

export type BillingEventRefusal = 'signature' | 'timestamp' | 'format';

/** All calls: @throws BillingUnavailable when the processor is unreachable or refuses. */
export interface BillingProvider {
  /** The default price first. */
  priceIds: readonly [string, ...string[]];
  /**
   * Idempotent while the processor keeps idempotency keys.
   *
   * @param replaced a customer that no longer exists at the processor
   * @returns the customer id
   */
  createCustomer(projectId: string, replaced: string | undefined): Promise<string>;
  /**
   * @returns undefined when the processor does not have the customer: it was deleted there, or created with the key of
   * another account or of test mode
   */
  createCheckout(order: CheckoutOrder): Promise<Checkout | undefined>;
  /**
   * Whether nobody pays through the customer any more: it was deleted, or created in test mode while the key is a live
   * one. Also false when the processor does not say: the stored customer is kept then.
   */
  isLost(customerId: string): Promise<boolean>;
  readCheckout(id: string): Promise<Checkout | undefined>;
  /** Closes a checkout. @returns its final state: `complete` when the customer paid first */
  closeCheckout(id: string): Promise<Checkout | undefined>;
  openPortal(customerId: string, returnUrl: string): Promise<string>;
  /**
   * Newest first, at most `limit` after the invoice `after`.
   *
   * @throws DomainError `BAD_REQUEST` when there is no such invoice
   */
  listInvoices(
    customerId: string,
    page: { limit: number; after: string | undefined },
  ): Promise<{ invoices: Invoice[]; hasMore: boolean }>;
  /** The current subscription, read from the processor; null when there never was one. */
  readSubscription(customerId: string): Promise<StoredSubscription | null>;
  /** Closes every open checkout and cancels every subscription at once. Idempotent. */
  endCustomer(customerId: string): Promise<void>;
  readEvent(body: string, signature: string): BillingEvent | BillingEventRefusal;
}
