import type { z } from 'zod';
import { type BillingCategory, billingCategories } from '../../core/billing/categories.ts';
import { recordOf } from '../../core/record-of.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/billing.ts';
import type { BillingState } from '../services/billing-limits.ts';

const whoMay = 'Requires an owner or admin of the project, or its secret key.';
const pageExample = { url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3' };

function presentConsumption({
  consumption,
  limits,
  subscription,
}: BillingState): z.output<typeof schemas.consumptionSchema> {
  const presentCategory = (category: BillingCategory) => {
    const used = consumption.used[category];
    const most = limits[category];
    return { used, limit: most, remaining: most === null ? null : Math.max(0, most - used) };
  };
  return {
    period: { start: consumption.start.toISOString(), end: consumption.end.toISOString() },
    categories: recordOf(billingCategories, presentCategory),
    subscription: subscription && {
      status: subscription.status,
      priceId: subscription.priceId,
      currentPeriodStart: subscription.periodStart,
      currentPeriodEnd: subscription.periodEnd,
      endsAt: subscription.endsAt,
    },
  };
}

export const openCheckout = defineRoute('POST /users/@me/projects/:id/checkout', {
  auth: 'userOrSecretKey',
  summary: 'Open a checkout page',
  description:
    "A Stripe Checkout session for one of this deployment's prices, by default the first. While a session " +
    `is open, repeated calls return it. ${whoMay}`,
  body: schemas.checkoutBodySchema,
  bodyExample: { priceId: 'price_1Q2w3E4r5T' },
  responses: ok('Where to send the user.', schemas.billingPageSchema, pageExample),
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
  responses: ok('Where to send the user immediately.', schemas.billingPageSchema, {
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
  query: schemas.listInvoicesQuerySchema,
  responses: ok('A page of invoices; `cursor` leads to the next one.', schemas.invoicePageSchema),
  place: 'elsewhere',
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { user, project, query, params }) {
    const page = { limit: query.limit, after: query.cursor };
    const { invoices, hasMore } = await ctx.services.billing.invoices({ user, project }, params.id, page);
    const cursor = hasMore ? (invoices.at(-1)?.id ?? null) : null;
    ctx.body = { data: invoices.map((invoice) => present(schemas.invoiceSchema, invoice)), cursor, hasMore };
  },
});

export const showBillingLimits = defineRoute('GET /users/@me/projects/:id/billing-limits', {
  auth: 'userOrSecretKey',
  summary: 'Monthly email limits of a project',
  description: `By category; null means unlimited. ${whoMay}`,
  responses: ok('The limits.', schemas.limitsSchema),
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
  body: schemas.limitsBodySchema,
  bodyExample: { transactional: 50_000, campaigns: 200_000, workflows: null },
  responses: ok('The current limits.', schemas.limitsSchema),
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
  responses: ok('As of now.', schemas.consumptionSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, project, params }) {
    const state = await ctx.services.billingLimits.consumption({ user, project }, params.id);
    ctx.body = presentConsumption(state);
  },
});
