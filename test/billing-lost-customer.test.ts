import { describe, expect, it } from 'vitest';
import { sessionOf, useBillingStage } from './setup/stripe/billing-stage.ts';

const stage = useBillingStage();
const { checkout, customersOf, deliver, pathOf, subscribe, subscriptionNow } = stage;

/** As after going live: the live key does not know customers of the test mode. */
function forgetCustomers(): void {
  const { stripe } = stage.scene();
  stripe.customers.splice(0);
  stripe.sessions.splice(0);
}

it('a checkout replaces a customer that Stripe does not have any more', async () => {
  const { stripe } = stage.scene();
  await checkout();
  const [lost] = customersOf();
  forgetCustomers();
  const answers = [await checkout(), await checkout()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  const [customer, ...others] = customersOf();
  expect([customer?.id === lost?.id, others]).toEqual([false, []]);
  const subscription = stripe.pay(sessionOf(answers[0]?.body.url));
  expect((await deliver(stripe.event('customer.subscription.created', subscription))).body).toEqual({
    outcome: 'applied',
  });
  expect((await subscriptionNow()).status).toBe('active');
});

it('concurrent checkouts replace it by one', async () => {
  await checkout();
  forgetCustomers();
  const answers = await Promise.all(Array.from({ length: 5 }, () => checkout()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.url)).size).toBe(1);
  expect(customersOf()).toHaveLength(1);
});

it('a customer deleted at Stripe is forgotten by the portal, and the next checkout creates another', async () => {
  const { stripe, owner } = stage.scene();
  await subscribe();
  const [lost] = customersOf();
  stripe.deletedCustomers.push(...stripe.customers.splice(0));
  stripe.sessions.splice(0);
  stripe.subscriptions.splice(0);
  expect((await owner.call('POST', pathOf('billing-portal'))).body).toMatchObject({
    error: { code: 'CONFLICT', statusCode: 409, suggestion: expect.stringContaining('checkout') },
  });
  expect(await subscriptionNow()).toBeNull();
  expect((await checkout()).status).toBe(200);
  const [customer] = customersOf();
  expect(customer?.id).not.toBe(lost?.id);
  expect((await owner.call('POST', pathOf('billing-portal'))).status).toBe(200);
});

describe('a subscription with the test key', () => {
  function goLive(): void {
    const { stripe } = stage.scene();
    stripe.customersOfTest.push(...stripe.customers.splice(0));
    stripe.sessions.splice(0);
    stripe.subscriptions.splice(0);
  }

  it('does not keep the project from subscribing after going live', async () => {
    const { owner } = stage.scene();
    await subscribe();
    expect((await checkout()).status).toBe(409);
    goLive();
    const answer = await checkout();
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(customersOf()).toHaveLength(1);
    expect(await subscriptionNow()).toBeNull();
    expect((await owner.call('GET', pathOf('billing-invoices'))).status).toBe(200);
  });

  it.each([
    ['the portal', 'POST', 'billing-portal', 409],
    ['the list of invoices', 'GET', 'billing-invoices', 200],
  ])('is forgotten by %s, too', async (_, method, endpoint, status) => {
    await subscribe();
    goLive();
    expect((await stage.scene().owner.call(method, pathOf(endpoint))).status).toBe(status);
    expect(await subscriptionNow()).toBeNull();
  });

  it('is kept while another key is in use by mistake', async () => {
    await subscribe();
    forgetCustomers();
    expect((await checkout()).status).toBe(409);
    expect((await subscriptionNow()).status).toBe('active');
  });
});
