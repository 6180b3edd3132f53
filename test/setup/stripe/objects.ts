import { randomBytes } from 'node:crypto';

export interface StripeCustomer {
  id: string;
  object: 'customer';
  created: number;
  livemode: false;
  metadata: Record<string, string>;
}

export interface StripeSession {
  id: string;
  object: 'checkout.session';
  created: number;
  customer: string;
  status: 'open' | 'complete' | 'expired';
  url: string | null;
  metadata: Record<string, string>;
  subscription: string | null;
  success_url: string;
  cancel_url: string;
  price: string;
}

export interface StripeSubscription {
  id: string;
  object: 'subscription';
  created: number;
  customer: string;
  status: string;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  ended_at: number | null;
  metadata: Record<string, string>;
  items: {
    object: 'list';
    has_more: false;
    data: {
      id: string;
      object: 'subscription_item';
      price: { id: string; object: 'price' };
      current_period_start: number;
      current_period_end: number;
    }[];
  };
}

export interface StripeInvoice {
  id: string;
  object: 'invoice';
  created: number;
  customer: string;
  number: string | null;
  status: string;
  currency: string;
  amount_due: number;
  amount_paid: number;
  period_start: number;
  period_end: number;
  hosted_invoice_url: string | null;
  invoice_pdf: string | null;
}

export interface StripeEvent {
  id: string;
  object: 'event';
  type: string;
  created: number;
  livemode: false;
  data: { object: unknown };
}

export const stripeId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
export const nowSeconds = () => Math.floor(Date.now() / 1000);
const month = 30 * 24 * 60 * 60;

export function newSubscription(customer: string, price: string): StripeSubscription {
  const created = nowSeconds();
  return {
    id: stripeId('sub'),
    object: 'subscription',
    created,
    customer,
    status: 'active',
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    metadata: {},
    items: {
      object: 'list',
      has_more: false,
      data: [
        {
          id: stripeId('si'),
          object: 'subscription_item',
          price: { id: price, object: 'price' },
          current_period_start: created,
          current_period_end: created + month,
        },
      ],
    },
  };
}

export function newInvoice(customer: string, number: number): StripeInvoice {
  const created = nowSeconds();
  const id = stripeId('in');
  return {
    id,
    object: 'invoice',
    created,
    customer,
    number: `A1B2-${String(number).padStart(4, '0')}`,
    status: 'paid',
    currency: 'eur',
    amount_due: 1900,
    amount_paid: 1900,
    period_start: created,
    period_end: created + month,
    hosted_invoice_url: `https://invoice.stripe.com/i/${id}`,
    invoice_pdf: `https://pay.stripe.com/invoice/${id}/pdf`,
  };
}
