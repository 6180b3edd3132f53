import { z } from 'zod';
import { billingCategories } from '../../core/billing/categories.ts';
import { recordOf } from '../../core/record-of.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { cursorLimitSchema, cursorPageSchema } from '../schemas/pagination.ts';

const perCategory = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(recordOf(billingCategories, () => schema));

/** Fits a 32-bit integer, with a margin for additions. */
const limit = z.int().min(0).max(1_000_000_000).nullable();

const limitsSchema = perCategory(limit).meta({
  description: 'Emails per calendar month (UTC); null means unlimited.',
});

const instant = z.iso.datetime();

const consumptionSchema = z.object({
  period: z.object({ start: instant, end: instant }),
  categories: perCategory(
    z.object({
      used: z.int().min(0),
      limit,
      remaining: z.int().min(0).nullable().describe('Null without a limit.'),
    }),
  ),
  subscription: z
    .object({
      status: z
        .string()
        .describe(
          "Stripe's status, such as `active`, `trialing`, `past_due`, `unpaid`, `paused` or `canceled`.",
        ),
      priceId: z.string().nullable(),
      currentPeriodStart: instant.nullable(),
      currentPeriodEnd: instant.nullable(),
      endsAt: instant.nullable().describe('When it ends or ended; null while it renews automatically.'),
    })
    .nullable()
    .describe('Null before the first subscription.'),
});

const invoiceSchema = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.string().nullable(),
  currency: z.string(),
  amountDue: z.int().describe('In the smallest unit of the currency.'),
  amountPaid: z.int(),
  createdAt: instant,
  periodStart: instant,
  periodEnd: instant,
  hostedUrl: z.string().nullable().describe('Page of the invoice at Stripe.'),
  pdfUrl: z.string().nullable(),
});

const billingPageSchema = z.object({ url: z.url() });

const whoMay = 'Requires an owner or admin of the project, or its secret key.';
const pageExample = { url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3' };

export const openCheckout = defineRoute('POST /users/@me/projects/:id/checkout', {
  auth: 'userOrSecretKey',
  summary: 'Open a checkout page',
  description:
    "A Stripe Checkout session for one of this deployment's prices, by default the first. While a session " +
    `is open, repeated calls return it. ${whoMay}`,
  body: z.object({ priceId: z.string().max(255).optional() }).optional(),
  bodyExample: { priceId: 'price_1Q2w3E4r5T' },
  responses: ok('Where to send the user.', billingPageSchema, pageExample),
  place: 'elsewhere',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { user, project, body, params }) {
    const url = await ctx.services.billing.checkout({ user, project }, params.id, body?.priceId);
    ctx.body = { url };
  },
});

export const openBillingPortal = defineRoute('POST /users/@me/projects/:id/billing-portal', {
  auth: 'userOrSecretKey',
  summary: 'Open the billing portal',
  description: `For changing or ending a subscription and managing payment methods. ${whoMay}`,
  responses: ok('Where to send the user immediately.', billingPageSchema, {
    url: 'https://billing.stripe.com/p/session/test_a1b2c3',
  }),
  place: 'elsewhere',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { user, project, params }) {
    ctx.body = { url: await ctx.services.billing.portal({ user, project }, params.id) };
  },
});

export const listInvoices = defineRoute('GET /users/@me/projects/:id/billing-invoices', {
  auth: 'userOrSecretKey',
  summary: 'Invoices of a project',
  description: `Newest first. ${whoMay}`,
  query: z.object({ limit: cursorLimitSchema, cursor: z.string().optional() }),
  responses: ok('A page of invoices; `cursor` leads to the next one.', cursorPageSchema(invoiceSchema)),
  place: 'elsewhere',
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { user, project, query, params }) {
    const page = { limit: query.limit, after: query.cursor };
    const { invoices, hasMore } = await ctx.services.billing.invoices({ user, project }, params.id, page);
    const cursor = hasMore ? (invoices.at(-1)?.id ?? null) : null;
    ctx.body = { data: invoices.map((invoice) => present(invoiceSchema, invoice)), cursor, hasMore };
  },
});

export const showBillingLimits = defineRoute('GET /users/@me/projects/:id/billing-limits', {
  auth: 'userOrSecretKey',
  summary: 'Monthly email limits of a project',
  description: `By category; null means unlimited. ${whoMay}`,
  responses: ok('The limits.', limitsSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, project, params }) {
    ctx.body = await ctx.services.billingLimits.read({ user, project }, params.id);
  },
});

export const changeBillingLimits = defineRoute('PUT /users/@me/projects/:id/billing-limits', {
  auth: 'userOrSecretKey',
  summary: 'Change the monthly email limits of a project',
  description:
    'Null removes a limit; omitted limits stay unchanged. Beyond a limit, `POST /v1/send` and campaigns ' +
    'are refused as a whole with 402; workflow emails are skipped, which the execution records. Limits ' +
    `apply whether or not billing is configured. ${whoMay}`,
  body: perCategory(limit.optional()),
  bodyExample: { transactional: 50_000, campaigns: 200_000, workflows: null },
  responses: ok('The current limits.', limitsSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, project, body, params }) {
    ctx.body = await ctx.services.billingLimits.change({ user, project }, params.id, body);
  },
});

export const showBillingConsumption = defineRoute('GET /users/@me/projects/:id/billing-consumption', {
  auth: 'userOrSecretKey',
  summary: 'Emails that a project has sent this month',
  description:
    'Emails accepted in the calendar month (UTC), by category, without campaign tests and without emails ' +
    `that a cancelled campaign did not send; and the state of the subscription. ${whoMay}`,
  responses: ok('As of now.', consumptionSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, project, params }) {
    const found = await ctx.services.billingLimits.consumption({ user, project }, params.id);
    const { limits, subscription, consumption } = found;
    ctx.body = {
      period: { start: consumption.start.toISOString(), end: consumption.end.toISOString() },
      categories: recordOf(billingCategories, (category) => {
        const used = consumption.used[category];
        const most = limits[category];
        return { used, limit: most, remaining: most === null ? null : Math.max(0, most - used) };
      }),
      subscription: subscription && {
        status: subscription.status,
        priceId: subscription.priceId,
        currentPeriodStart: subscription.periodStart,
        currentPeriodEnd: subscription.periodEnd,
        endsAt: subscription.endsAt,
      },
    };
  },
});
