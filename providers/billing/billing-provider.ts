import type { StoredSubscription } from '../../core/billing/subscription.ts';

/** The payment processor did not answer, or not with what was asked for; another try may help. */
export class BillingUnavailable extends Error {
  override readonly name = 'BillingUnavailable';
}

/** A page to subscribe at. */
export interface Checkout {
  id: string;
  status: 'open' | 'complete' | 'expired';
  priceId: string | null;
  /** Null unless it is open. */
  url: string | null;
}

export interface CheckoutOrder {
  projectId: string;
  customerId: string;
  priceId: string;
  successUrl: string;
  cancelUrl: string;
}

/** An invoice; amounts in the smallest unit of the currency. */
export interface Invoice {
  id: string;
  /** Null for a draft. */
  number: string | null;
  status: string | null;
  /** ISO 4217 in lower case. */
  currency: string;
  amountDue: number;
  amountPaid: number;
  createdAt: Date;
  periodStart: Date;
  periodEnd: Date;
  /** Pages of the processor, null while there are none. */
  hostedUrl: string | null;
  pdfUrl: string | null;
}

/** A notification whose signature is genuine. */
export interface BillingEvent {
  id: string;
  type: string;
  /** Whose subscription it may be about; null when it is about none. */
  customerId: string | null;
}

export type BillingEventRefusal = 'signature' | 'timestamp' | 'format';

/**
 * The payment processor. All calls: @throws BillingUnavailable while it is away, and for what it refuses.
 */
export interface BillingProvider {
  /** What may be subscribed to, the usual one first; at least one. */
  priceIds: readonly [string, ...string[]];
  /** A customer for a project; the same one when it is called again soon. @returns its id */
  createCustomer(projectId: string): Promise<string>;
  createCheckout(order: CheckoutOrder): Promise<Checkout>;
  /** As it stands; undefined when there is none with this id any more. */
  readCheckout(id: string): Promise<Checkout | undefined>;
  /** Closes a page that nobody is to pay at any more. @returns as it stands then: `complete` when somebody was faster */
  closeCheckout(id: string): Promise<Checkout | undefined>;
  /** @returns the address of the page where a customer manages subscription and payment methods */
  openPortal(customerId: string, returnUrl: string): Promise<string>;
  /**
   * Invoices of a customer, the newest first, at most `limit` after the one with the id `after`.
   * @throws DomainError `BAD_REQUEST` when there is none with that id
   */
  listInvoices(
    customerId: string,
    page: { limit: number; after: string | undefined },
  ): Promise<{ invoices: Invoice[]; hasMore: boolean }>;
  /** The subscription of a customer as it is at this moment; null when there never was one. */
  readSubscription(customerId: string): Promise<StoredSubscription | null>;
  /** Closes every open page and ends every subscription of a customer at once. Idempotent. */
  endCustomer(customerId: string): Promise<void>;
  /** Checks a notification as it came in. Answers at once. */
  readEvent(body: string, signature: string): BillingEvent | BillingEventRefusal;
}
