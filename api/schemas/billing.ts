import { z } from 'zod';
import { billingCategories } from '../../core/billing/categories.ts';
import { recordOf } from '../../core/record-of.ts';
import { cursorLimitSchema, cursorPageSchema } from './pagination.ts';

const perCategory = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(recordOf(billingCategories, () => schema));

/** Fits a 32-bit integer, with a margin for additions. */
const limit = z.int().min(0).max(1_000_000_000).nullable();

export const limitsSchema = perCategory(limit).meta({
  description: 'Emails per calendar month (UTC); null means unlimited.',
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
    .describe("Stripe's status, such as `active`, `trialing`, `past_due`, `unpaid`, `paused` or `canceled`."),
  priceId: z.string().nullable(),
  currentPeriodStart: z.iso.datetime().nullable(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  endsAt: z.iso.datetime().nullable().describe('When it ends or ended; null while it renews automatically.'),
});

export const consumptionSchema = z.object({
  period: z.object({ start: z.iso.datetime(), end: z.iso.datetime() }),
  categories: perCategory(consumed),
  subscription: subscriptionSchema.nullable().describe('Null before the first subscription.'),
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

export const checkoutBodySchema = z.object({ priceId: z.string().max(255).optional() }).optional();

export const billingPageSchema = z.object({ url: z.url() });

export const listInvoicesQuerySchema = z.object({ limit: cursorLimitSchema, cursor: z.string().optional() });

export const invoicePageSchema = cursorPageSchema(invoiceSchema);
