import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import {
  consumptionSchema,
  invoiceSchema,
  limitsBodySchema,
  limitsSchema,
  presentConsumption,
  presentInvoice,
} from '../presenters/billing.ts';
import { cursorLimitSchema } from '../schemas/pagination.ts';

const tags = ['Billing'];
const params = z.object({ id: idSchema });
const whoMay = 'For owners and admins of the project, and for its secret key.';
const pageAnswer = z.object({ url: z.url() });
const pageExample = { url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3' };

export const openCheckout = defineRoute({
  method: 'POST',
  path: '/users/@me/projects/:id/checkout',
  auth: 'userOrSecretKey',
  tags,
  summary: 'Open a page to subscribe at',
  description:
    'A Stripe Checkout session for one of the prices of this deployment, the first of them by default. While a page ' +
    `is open it is answered again. ${whoMay}`,
  params,
  body: z.object({ priceId: z.string().max(255).optional() }).optional(),
  bodyExample: { priceId: 'price_1Q2w3E4r5T' },
  responses: {
    200: { description: 'Where to send the user.', schema: pageAnswer, example: pageExample },
  },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler({ user, project, params: { id }, body, services }) {
    const url = await services.billing.checkout({ user, project }, id, body?.priceId);
    return { status: 200, body: { url } };
  },
});

export const openBillingPortal = defineRoute({
  method: 'POST',
  path: '/users/@me/projects/:id/billing-portal',
  auth: 'userOrSecretKey',
  tags,
  summary: 'Open the billing portal',
  description: `Where a subscription is changed and ended, and payment methods are kept. ${whoMay}`,
  params,
  responses: {
    200: {
      description: 'Where to send the user, right now.',
      schema: pageAnswer,
      example: { url: 'https://billing.stripe.com/p/session/test_a1b2c3' },
    },
  },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler({ user, project, params: { id }, services }) {
    return { status: 200, body: { url: await services.billing.portal({ user, project }, id) } };
  },
});

export const listInvoices = defineRoute({
  method: 'GET',
  path: '/users/@me/projects/:id/billing-invoices',
  auth: 'userOrSecretKey',
  tags,
  summary: 'Invoices of a project',
  description: `The newest first. ${whoMay}`,
  params,
  query: z.object({ limit: cursorLimitSchema, cursor: z.string().min(1).max(255).optional() }),
  responses: {
    200: {
      description: 'A page of them; `cursor` leads to the next one.',
      schema: z.object({
        data: z.array(invoiceSchema),
        cursor: z.string().nullable(),
        hasMore: z.boolean(),
      }),
    },
  },
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler({ user, project, params: { id }, query, services }) {
    const page = { limit: query.limit, after: query.cursor };
    const { invoices, hasMore } = await services.billing.invoices({ user, project }, id, page);
    const cursor = hasMore ? (invoices.at(-1)?.id ?? null) : null;
    return { status: 200, body: { data: invoices.map(presentInvoice), cursor, hasMore } };
  },
});

export const showBillingLimits = defineRoute({
  method: 'GET',
  path: '/users/@me/projects/:id/billing-limits',
  auth: 'userOrSecretKey',
  tags,
  summary: 'How many emails a project may send in a month',
  description: `By category; null is any number. ${whoMay}`,
  params,
  responses: { 200: { description: 'The limits.', schema: limitsSchema } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, project, params: { id }, services }) {
    return { status: 200, body: await services.billingLimits.read({ user, project }, id) };
  },
});

export const changeBillingLimits = defineRoute({
  method: 'PUT',
  path: '/users/@me/projects/:id/billing-limits',
  auth: 'userOrSecretKey',
  tags,
  summary: 'Change how many emails a project may send in a month',
  description:
    'Null takes a limit away, what is left out stays. Beyond its limit `POST /v1/send` and the sending of a campaign ' +
    'are refused with 402, all of a call or none; the emails of workflows are left out, which their executions note. ' +
    `Limits hold whether or not billing is configured. ${whoMay}`,
  params,
  body: limitsBodySchema,
  bodyExample: { transactional: 50_000, campaigns: 200_000, workflows: null },
  responses: { 200: { description: 'The limits as they are now.', schema: limitsSchema } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, project, params: { id }, body, services }) {
    return { status: 200, body: await services.billingLimits.change({ user, project }, id, body) };
  },
});

export const showBillingConsumption = defineRoute({
  method: 'GET',
  path: '/users/@me/projects/:id/billing-consumption',
  auth: 'userOrSecretKey',
  tags,
  summary: 'What a project has sent in this month',
  description:
    'Emails that were accepted in the calendar month (UTC), by category; tests of campaigns do not count, and what a ' +
    `cancelled campaign did not send is taken off. Besides, how the subscription stands. ${whoMay}`,
  params,
  responses: { 200: { description: 'As of now.', schema: consumptionSchema } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, project, params: { id }, services }) {
    const state = await services.billingLimits.consumption({ user, project }, id);
    return { status: 200, body: presentConsumption(state) };
  },
});
