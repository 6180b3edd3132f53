import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { eventually } from './setup/eventually.ts';
import { callApi, createOwnProject, createTestPerson } from './setup/people.ts';
import { type BillingScene, sessionOf, useBillingStage } from './setup/stripe/billing-stage.ts';
import { signNotification } from './setup/stripe/stripe-server.ts';

const stage = useBillingStage();
const { pathOf, checkout, post, deliver, subscriptionNow, customersOf, subscribe } = stage;
let stripe: BillingScene['stripe'];
let stack: BillingScene['stack'];
let owner: BillingScene['owner'];
let project: BillingScene['project'];
beforeEach(() => {
  ({ stripe, stack, owner, project } = stage.scene());
});

describe('a checkout', () => {
  it('opens a page of Stripe for the default price, and the subscription is stored once Stripe reports it', async () => {
    expect((await callApi(stack.url, 'GET', '/config')).body.features.billing).toBe(true);
    expect(await subscriptionNow()).toBeNull();
    const { body } = await checkout();
    const session = stripe.sessions.at(-1);
    expect(body).toEqual({ url: session?.url });
    expect(session).toMatchObject({
      price: 'price_basic',
      success_url: `https://app.example.com/projects/${project.id}/billing?checkout=success`,
      cancel_url: `https://app.example.com/projects/${project.id}/billing?checkout=cancelled`,
      customer: customersOf()[0]?.id,
    });
    const { items } = stripe.pay(sessionOf(body.url));
    expect(await subscriptionNow()).toBeNull();
    await deliver(stripe.event('checkout.session.completed', session));
    const [item] = items.data;
    expect(await subscriptionNow()).toEqual({
      status: 'active',
      priceId: 'price_basic',
      currentPeriodStart: new Date((item?.current_period_start ?? 0) * 1000).toISOString(),
      currentPeriodEnd: new Date((item?.current_period_end ?? 0) * 1000).toISOString(),
      endsAt: null,
    });
  });

  it('takes one of the configured prices and no other', async () => {
    const { body } = await checkout({ priceId: 'price_large' });
    expect(stripe.sessions.find(({ id }) => id === sessionOf(body.url))?.price).toBe('price_large');
    const refused = await checkout({ priceId: 'price_of_others' });
    expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, 'priceId']);
  });

  it('is one page, however many concurrent calls request it', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => checkout()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const urls = new Set(answers.map(({ body }) => body.url));
    const [customer] = customersOf();
    expect(customersOf()).toHaveLength(1);
    const open = stripe.sessions.filter((one) => one.customer === customer?.id && one.status === 'open');
    expect(open.map(({ url }) => url)).toEqual([...urls]);
    expect((await checkout()).body.url).toBe(open[0]?.url);
  });

  it('closes the page of another price, and opens a new one when the last has expired', async () => {
    const first = sessionOf((await checkout()).body.url);
    const second = sessionOf((await checkout({ priceId: 'price_large' })).body.url);
    const statusOf = (id: string) => stripe.sessions.find((one) => one.id === id)?.status;
    expect([statusOf(first), statusOf(second)]).toEqual(['expired', 'open']);
    Object.assign(stripe.sessions.find((one) => one.id === second) ?? {}, { status: 'expired', url: null });
    const third = sessionOf((await checkout({ priceId: 'price_large' })).body.url);
    expect([third === second, statusOf(third)]).toEqual([false, 'open']);
  });

  it('is refused while there is a subscription, even before Stripe has reported it', async () => {
    const { body } = await checkout();
    stripe.pay(sessionOf(body.url));
    const early = await checkout();
    expect([early.status, early.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await subscriptionNow()).status).toBe('active');
    expect((await checkout({ priceId: 'price_large' })).status).toBe(409);
    expect(stripe.sessions.filter((one) => one.customer === customersOf()[0]?.id)).toHaveLength(1);
  });

  it('is open again when the subscription has ended', async () => {
    const subscription = await subscribe();
    Object.assign(subscription, { status: 'canceled', ended_at: 1_790_000_000 });
    await deliver(stripe.event('customer.subscription.deleted', subscription));
    expect(await subscriptionNow()).toMatchObject({ status: 'canceled', endsAt: '2026-09-21T14:13:20.000Z' });
    expect((await subscribe('price_large')).status).toBe('active');
    expect(await subscriptionNow()).toMatchObject({ status: 'active', priceId: 'price_large', endsAt: null });
  });

  it('is open again when the subscription has ended, also if the notification of that was lost', async () => {
    Object.assign(await subscribe(), { status: 'canceled', ended_at: 1_790_000_000 });
    expect((await subscriptionNow()).status).toBe('active');
    expect((await checkout()).status).toBe(200);
    expect((await subscriptionNow()).status).toBe('canceled');
  });

  it('creates nothing twice when a reply of Stripe is lost', async () => {
    stripe.faults = ['lost reply'];
    expect((await checkout()).status).toBe(200);
    expect(customersOf()).toHaveLength(1);
    const customer = customersOf()[0]?.id;
    await stack.sql('update billing_customers set checkout_session_id = null where customer_id = $1', [
      customer,
    ]);
    stripe.faults = ['lost reply'];
    expect((await checkout()).status).toBe(200);
    expect(stripe.sessions.filter((one) => one.customer === customer)).toHaveLength(2);
  });
});

describe('the portal and the invoices', () => {
  it('are available from the first checkout on', async () => {
    const early = await owner.call('POST', pathOf('billing-portal'));
    expect([early.status, early.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await owner.call('GET', pathOf('billing-invoices'))).body).toEqual({
      data: [],
      cursor: null,
      hasMore: false,
    });
    await checkout();
    const portal = await owner.call('POST', pathOf('billing-portal'));
    expect([portal.status, portal.body.url]).toEqual([
      200,
      expect.stringContaining('https://billing.stripe.com/'),
    ]);
    expect(stripe.calls.at(-1)?.form).toEqual({
      customer: customersOf()[0]?.id,
      return_url: `https://app.example.com/projects/${project.id}/billing`,
    });
  });

  it('list invoices page by page, newest first, and none of other projects', async () => {
    await subscribe();
    const [customer] = customersOf();
    const ofOthers = stripe.invoices.find((one) => one.customer !== customer?.id);
    const template = stripe.invoices.at(-1);
    if (template === undefined) throw new Error('There is no invoice');
    for (let n = 0; n < 4; n += 1) stripe.invoices.push({ ...template, id: `in_${n}x${newId().slice(-6)}` });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { status, body } = await owner.call('GET', `${pathOf('billing-invoices')}?limit=2${query}`);
      expect(status).toBe(200);
      seen.push(...body.data.map((one: { id: string }) => one.id));
      expect(body.hasMore).toBe(body.cursor !== null);
      cursor = body.cursor;
    }
    const ours = stripe.invoices.filter((one) => one.customer === customer?.id).map(({ id }) => id);
    expect(seen).toEqual(ours.toReversed());
    const [first] = (await owner.call('GET', `${pathOf('billing-invoices')}?limit=1`)).body.data;
    const { number, hosted_invoice_url: hostedUrl, invoice_pdf: pdfUrl } = template;
    const amounts = { currency: 'eur', amountDue: 1900, amountPaid: 1900 };
    expect(first).toMatchObject({ id: ours.at(-1), number, status: 'paid', ...amounts, hostedUrl, pdfUrl });
    for (const wrong of [ofOthers?.id ?? 'in_of_nobody', 'in_nothing', '', 'x'.repeat(300)]) {
      const refused = await owner.call('GET', `${pathOf('billing-invoices')}?cursor=${wrong}`);
      expect([refused.status, refused.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
  });
});

describe('a notification', () => {
  it('that is forged, altered or old is refused, and nothing changes', async () => {
    const subscription = await subscribe();
    Object.assign(subscription, { status: 'past_due' });
    const body = JSON.stringify(stripe.event('customer.subscription.updated', subscription));
    const good = signNotification(body, stripe.webhookSecret);
    const old = Math.floor(Date.now() / 1000) - 301;
    const refusals: [string, string, string][] = [
      [body, signNotification(body, 'whsec_another'), 'signature'],
      [body.replace('past_due', 'active'), good, 'signature'],
      [body, good.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000) + 1}`), 'signature'],
      [body, '', 'signature'],
      [body, 'nonsense', 'signature'],
      ['', signNotification('', stripe.webhookSecret), 'signature'],
      [body, signNotification(body, stripe.webhookSecret, old), 'timestamp'],
      ['no JSON', signNotification('no JSON', stripe.webhookSecret), 'format'],
    ];
    for (const [sent, signature, reason] of refusals) {
      const answer = await post(sent, signature);
      expect([answer.status, answer.body.error?.details?.reason]).toEqual([403, reason]);
    }
    expect((await subscriptionNow()).status).toBe('active');
    expect((await post(body, good)).body).toEqual({ outcome: 'applied' });
    expect((await subscriptionNow()).status).toBe('past_due');
  });

  it('is applied once, however often it arrives', async () => {
    const subscription = await subscribe();
    const event = stripe.event('customer.subscription.updated', subscription);
    const version = async () =>
      (
        await stack.sql<{ version: number }>('select version from billing_customers where project_id = $1', [
          project.id,
        ])
      )[0]?.version;
    const before = (await version()) ?? 0;
    const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(event)));
    const outcomes = answers.map(({ body }) => body.outcome).sort();
    expect(outcomes).toEqual(['applied', 'known', 'known', 'known', 'known']);
    const after = await version();
    expect(after).toBeGreaterThan(before);
    const calls = stripe.calls.length;
    expect((await deliver(event)).body).toEqual({ outcome: 'known' });
    expect([await version(), stripe.calls.length]).toEqual([after, calls]);
  });

  it('does not overwrite a newer state, in any order of arrival', async () => {
    const subscription = await subscribe();
    const first = stripe.event('customer.subscription.updated', subscription);
    Object.assign(subscription, { status: 'past_due' });
    const second = stripe.event('customer.subscription.updated', subscription);
    Object.assign(subscription, { status: 'canceled', ended_at: 1_790_000_000 });
    const third = stripe.event('customer.subscription.deleted', subscription);
    for (const event of [third, first, second]) {
      expect((await deliver(event)).body).toEqual({ outcome: 'applied' });
      expect((await subscriptionNow()).status).toBe('canceled');
    }
  });

  it("does not overwrite a newer state when Stripe's answers arrive out of order", async () => {
    const subscription = await subscribe();
    const slow = stripe.event('customer.subscription.updated', subscription);
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const previous = structuredClone(subscription);
    const place = stripe.subscriptions.indexOf(subscription);
    // The first answer is from before the change, and arrives after the change is known.
    stripe.before = async ({ path }) => {
      if (!path.startsWith('/v1/subscriptions')) return;
      stripe.before = null;
      asked.resolve();
      await held.promise;
      stripe.subscriptions[place] = previous;
      setImmediate(() => {
        stripe.subscriptions[place] = subscription;
      });
    };
    const late = deliver(slow);
    await asked.promise;
    Object.assign(subscription, { status: 'unpaid' });
    expect((await deliver(stripe.event('customer.subscription.updated', subscription))).status).toBe(200);
    expect((await subscriptionNow()).status).toBe('unpaid');
    held.resolve();
    expect((await late).body).toEqual({ outcome: 'applied' });
    expect((await subscriptionNow()).status).toBe('unpaid');
  });

  it('reports a changed price, a cancellation at the end of the period and a failed payment', async () => {
    const subscription = await subscribe();
    const [item] = subscription.items.data;
    if (item === undefined) throw new Error('The subscription has no price');
    item.price = { id: 'price_large', object: 'price' };
    await deliver(stripe.event('customer.subscription.updated', subscription));
    expect(await subscriptionNow()).toMatchObject({ priceId: 'price_large', endsAt: null });
    subscription.cancel_at_period_end = true;
    await deliver(stripe.event('customer.subscription.updated', subscription));
    const end = new Date(item.current_period_end * 1000).toISOString();
    expect(await subscriptionNow()).toMatchObject({ status: 'active', endsAt: end, currentPeriodEnd: end });
    Object.assign(subscription, { cancel_at_period_end: false, status: 'past_due' });
    await deliver(stripe.event('invoice.payment_failed', stripe.invoices.at(-1)));
    expect(await subscriptionNow()).toMatchObject({ status: 'past_due', endsAt: null });
    expect((await checkout()).status).toBe(409);
  });

  it('is retried while Stripe is down, and applied afterward', async () => {
    const subscription = await subscribe();
    Object.assign(subscription, { status: 'past_due' });
    const event = stripe.event('customer.subscription.updated', subscription);
    for (const fault of ['error', 'rate limit', 'no connection'] as const) {
      stripe.always = fault;
      expect((await deliver(event)).status).toBe(503);
      expect((await subscriptionNow()).status).toBe('active');
    }
    stripe.always = null;
    expect((await deliver(event)).body).toEqual({ outcome: 'applied' });
    expect((await subscriptionNow()).status).toBe('past_due');
  });

  it('about an unknown customer, or about no subscription, changes nothing', async () => {
    for (const [type, customer] of [
      ['customer.subscription.updated', 'cus_of_nobody'],
      ['invoice.paid', null],
      ['payout.paid', undefined],
    ] as const) {
      expect(await deliver(stripe.event(type, { id: 'x', customer }))).toEqual({
        status: 200,
        body: { outcome: 'ignored' },
      });
    }
  });
});

describe('while Stripe is away', () => {
  it.each(['error', 'rate limit', 'no connection'] as const)(
    '(%s) nothing changes, and 503 says so',
    async (fault) => {
      await subscribe();
      stripe.always = fault;
      const answers = [
        await checkout({ priceId: 'price_large' }),
        await owner.call('POST', pathOf('billing-portal')),
        await owner.call('GET', pathOf('billing-invoices')),
        await owner.call('POST', pathOf('checkout', (await createOwnProject(owner)).id)),
      ];
      expect(answers.map(({ status }) => status)).toEqual([409, 503, 503, 503]);
      expect(answers[1]?.body.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(stripe.secretKey);
      expect((await owner.call('GET', pathOf('billing-consumption'))).status).toBe(200);
      stripe.always = null;
      expect((await owner.call('POST', pathOf('billing-portal'))).status).toBe(200);
    },
  );
});

describe('billing', () => {
  it('is open to owners, admins and the secret key of the project; strangers get 404', async () => {
    const [admin, member] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
    const stranger = await createTestPerson(stack.url);
    await stack.sql(
      `insert into memberships (project_id, user_id, role) values ($1, $2, 'ADMIN'), ($1, $3, 'MEMBER')`,
      [project.id, admin.id, member.id],
    );
    await checkout();
    const other = await createOwnProject(stranger);
    const limits = { transactional: 5 };
    const calls: [string, string, object?][] = [
      ['POST', 'checkout'],
      ['POST', 'billing-portal'],
      ['GET', 'billing-invoices'],
      ['GET', 'billing-limits'],
      ['PUT', 'billing-limits', limits],
      ['GET', 'billing-consumption'],
    ];
    const byKey = (key: string, method: string, endpoint: string, body?: object) =>
      callApi(stack.url, method, pathOf(endpoint), body, { Authorization: `Bearer ${key}` });
    for (const [method, endpoint, body] of calls) {
      const path = pathOf(endpoint);
      const answers = [
        await admin.call(method, path, body),
        await byKey(project.secretKey, method, endpoint, body),
        await member.call(method, path, body),
        await stranger.call(method, path, body),
        await byKey(other.secretKey, method, endpoint, body),
        await callApi(stack.url, method, path, body),
        await stranger.call(method, path.replace(project.id, newId()), body),
      ];
      expect([endpoint, ...answers.map(({ status }) => status)]).toEqual([
        endpoint,
        ...[200, 200, 403, 404, 404, 401, 404],
      ]);
    }
  });
});

describe('the deletion of a project', () => {
  it('ends its subscription and closes its page, however long Stripe is down', async () => {
    const subscription = await subscribe();
    const ofOthers = stripe.subscriptions.filter(
      (one) => one.id !== subscription.id && one.status === 'active',
    );
    // The project has a second subscription, made at Stripe itself, and an open checkout page.
    const second = { ...structuredClone(subscription), id: `${subscription.id}x`, status: 'past_due' };
    stripe.subscriptions.push(second);
    const session = stripe.sessions.find((one) => one.subscription === subscription.id);
    if (session === undefined) throw new Error('There is no page');
    const page = { ...session, id: `${session.id}x`, status: 'open' as const };
    stripe.sessions.push(page);
    stripe.always = 'no connection';
    expect((await owner.call('DELETE', `/users/@me/projects/${project.id}`)).status).toBe(204);
    await eventually(
      async () => stripe.calls.filter(({ path }) => path.includes(subscription.customer)).length,
      (tries) => tries > 2,
    );
    expect(subscription.status).toBe('active');
    stripe.always = null;
    const rows = () => stack.sql('select 1 from billing_customers where project_id = $1', [project.id]);
    await eventually(rows, (left) => left.length === 0);
    expect([subscription.status, second.status, page.status]).toEqual(['canceled', 'canceled', 'expired']);
    expect(ofOthers.every(({ status }) => status === 'active')).toBe(true);
    expect((await deliver(stripe.event('customer.subscription.deleted', subscription))).body).toEqual({
      outcome: 'ignored',
    });
  });

  it('closes a checkout page that was just being opened', async () => {
    await checkout();
    await stack.sql('update billing_customers set checkout_session_id = null where project_id = $1', [
      project.id,
    ]);
    stripe.before = async ({ method, path }) => {
      if (method !== 'POST' || path !== '/v1/checkout/sessions') return;
      stripe.before = null;
      expect((await owner.call('DELETE', `/users/@me/projects/${project.id}`)).status).toBe(204);
    };
    expect((await checkout()).status).toBe(404);
    const pages = stripe.sessions.filter(({ metadata }) => metadata.projectId === project.id);
    await eventually(
      async () => pages.map(({ status }) => status),
      (statuses) => statuses.length === 2 && statuses.every((status) => status === 'expired'),
    );
  });
});
