import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { TestAnswer } from '../answer.ts';
import { createOwnProject, createTestPerson, type TestPerson } from '../people.ts';
import { type OwnProduct, startTestProduct } from '../product.ts';
import type { StripeEvent, StripeSubscription } from './objects.ts';
import { type StripeServer, signNotification, startStripeServer } from './stripe-server.ts';

export interface BillingScene {
  stripe: StripeServer;
  stack: OwnProduct;
  owner: TestPerson;
  project: { id: string; name: string; secretKey: string };
}

export const sessionOf = (url: string) => url.split('/').at(-1) ?? '';

export function useBillingStage() {
  let scene: BillingScene;
  beforeAll(async () => {
    const stripe = await startStripeServer();
    const stack = await startTestProduct({
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_PRICE_IDS: stripe.prices.join(','),
      STRIPE_API_URL: stripe.url,
      DASHBOARD_URL: 'https://app.example.com',
      AUTH_RATE_LIMIT_PER_MINUTE: '0',
    });
    const owner = await createTestPerson(stack.url);
    scene = { stripe, stack, owner, project: await createOwnProject(owner) };
  });
  afterAll(async () => {
    await scene.stack.close();
    await scene.stripe.close();
  });
  beforeEach(async () => {
    scene.project = await createOwnProject(scene.owner);
  });
  afterEach(() => {
    Object.assign(scene.stripe, { faults: [], always: null, before: null });
  });

  const pathOf = (endpoint: string, id = scene.project.id) => `/users/@me/projects/${id}/${endpoint}`;
  const checkout = (body?: object): Promise<TestAnswer> => scene.owner.call('POST', pathOf('checkout'), body);

  async function post(body: string, signature: string) {
    const answer = await fetch(`${scene.stack.url}/webhooks/incoming/stripe`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature },
      body,
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }

  function deliver(event: StripeEvent) {
    const body = JSON.stringify(event, null, 2);
    return post(body, signNotification(body, scene.stripe.webhookSecret));
  }

  return {
    scene: () => scene,
    pathOf,
    checkout,
    post,
    deliver,
    subscriptionNow: async () =>
      (await scene.owner.call('GET', pathOf('billing-consumption'))).body.subscription,
    customersOf: (projectId = scene.project.id) =>
      scene.stripe.customers.filter((one) => one.metadata.projectId === projectId),
    /** Pays a checkout and delivers the resulting notifications. */
    async subscribe(priceId?: string): Promise<StripeSubscription> {
      const { status, body } = await checkout(priceId === undefined ? undefined : { priceId });
      expect(status).toBe(200);
      const subscription = scene.stripe.pay(sessionOf(body.url));
      const told = await deliver(scene.stripe.event('customer.subscription.created', subscription));
      expect(told).toEqual({ status: 200, body: { outcome: 'applied' } });
      return subscription;
    },
  };
}
