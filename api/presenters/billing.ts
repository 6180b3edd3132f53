import { z } from 'zod';
import { type BillingCategory, billingCategories, type PerCategory } from '../../core/billing/categories.ts';
import type { Invoice } from '../../providers/billing/billing-provider.ts';
import type { BillingState } from '../services/billing-limits.ts';

const perCategory = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ transactional: schema, campaigns: schema, workflows: schema, inbound: schema });

/** At most what a 32-bit figure holds with room to add to it. */
const limit = z.int().min(0).max(1_000_000_000).nullable();

export const limitsSchema = perCategory(limit).meta({
  description: 'Emails per calendar month (UTC); null for any number.',
});
export const limitsBodySchema = perCategory(limit.optional());

const consumed = z.object({
  used: z.int().min(0),
  limit,
  remaining: z.int().min(0).nullable().describe('Null without a limit.'),
});

const subscriptionSchema = z.object({
  status: z
    .string()
    .describe("Stripe's word, such as `active`, `trialing`, `past_due`, `unpaid`, `paused` or `canceled`."),
  priceId: z.string().nullable(),
  currentPeriodStart: z.iso.datetime().nullable(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  endsAt: z.iso.datetime().nullable().describe('When it ends or has ended; null while it renews itself.'),
});

export const consumptionSchema = z.object({
  period: z.object({ start: z.iso.datetime(), end: z.iso.datetime() }),
  categories: perCategory(consumed),
  subscription: subscriptionSchema.nullable().describe('Null before the first.'),
});

export const invoiceSchema = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.string().nullable(),
  currency: z.string(),
  amountDue: z.int().describe('In the smallest unit of the currency.'),
  amountPaid: z.int(),
  createdAt: z.iso.datetime(),
  periodStart: z.iso.datetime(),
  periodEnd: z.iso.datetime(),
  hostedUrl: z.string().nullable().describe('Page of the invoice at Stripe.'),
  pdfUrl: z.string().nullable(),
});

export function presentConsumption({
  consumption,
  limits,
  subscription,
}: BillingState): z.output<typeof consumptionSchema> {
  const present = (category: BillingCategory) => {
    const used = consumption.used[category];
    const most = limits[category];
    return { used, limit: most, remaining: most === null ? null : Math.max(0, most - used) };
  };
  const categories = Object.fromEntries(billingCategories.map((name) => [name, present(name)]));
  return {
    period: { start: consumption.start.toISOString(), end: consumption.end.toISOString() },
    // as: it was made from the list of all categories.
    categories: categories as PerCategory<ReturnType<typeof present>>,
    subscription: subscription && {
      status: subscription.status,
      priceId: subscription.priceId,
      currentPeriodStart: subscription.periodStart,
      currentPeriodEnd: subscription.periodEnd,
      endsAt: subscription.endsAt,
    },
  };
}

export function presentInvoice(invoice: Invoice): z.output<typeof invoiceSchema> {
  return {
    ...invoice,
    createdAt: invoice.createdAt.toISOString(),
    periodStart: invoice.periodStart.toISOString(),
    periodEnd: invoice.periodEnd.toISOString(),
  };
}
