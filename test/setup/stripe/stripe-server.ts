import { createHmac } from 'node:crypto';
import { startHttpServer } from '../../../providers/testing/http-server.ts';
import { missing, page, problemAnswer, type StripeAnswer, StripeProblem, write } from './answer.ts';
import { type FormValue, parseForm, textAt } from './form.ts';
import {
  newInvoice,
  newSubscription,
  nowSeconds,
  type StripeCustomer,
  type StripeEvent,
  type StripeInvoice,
  type StripeSession,
  type StripeSubscription,
  stripeId,
} from './objects.ts';

export type StripeFault = 'error' | 'rate limit' | 'no connection' | 'lost reply';

export interface SeenCall {
  method: string;
  path: string;
  form: Record<string, FormValue>;
  idempotencyKey: string | undefined;
}

/** The part of Stripe's API that we use, over the network; the test decides what users do on Stripe's pages. */
export interface StripeServer {
  url: string;
  secretKey: string;
  webhookSecret: string;
  prices: string[];
  customers: StripeCustomer[];
  /** Customers created with a test key, once there is a live key. */
  customersOfTest: StripeCustomer[];
  deletedCustomers: StripeCustomer[];
  sessions: StripeSession[];
  subscriptions: StripeSubscription[];
  invoices: StripeInvoice[];
  calls: SeenCall[];
  /** Each fault affects one of the following calls; one with `always` affects all. */
  faults: StripeFault[];
  always: StripeFault | null;
  /** Called before each response, and may delay it. */
  before: ((call: SeenCall) => Promise<void> | void) | null;
  pay(sessionId: string): StripeSubscription;
  event(type: string, object: unknown): StripeEvent;
  close(): Promise<void>;
}

export function signNotification(body: string, secret: string, timestamp = nowSeconds()): string {
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${signature}`;
}

type Form = Record<string, FormValue>;

function required(form: Form, name: string): string {
  const value = textAt(form, name);
  if (value !== undefined && value !== '') return value;
  throw new StripeProblem(400, `Missing required param: ${name}.`, {
    code: 'parameter_missing',
    param: name,
  });
}

function metadataOf(form: Form): Record<string, string> {
  const { metadata } = form;
  if (typeof metadata !== 'object') return {};
  return Object.fromEntries(
    Object.entries(metadata).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

const newestFirst = <Item>(items: readonly Item[]) => items.toReversed();

export async function startStripeServer(): Promise<StripeServer> {
  const idempotent = new Map<string, { request: string; answer: StripeAnswer }>();

  const find = <Item extends { id: string }>(
    items: Item[],
    kind: string,
    id: string,
    param?: string,
    hint?: string,
  ): Item => {
    const item = items.find((one) => one.id === id);
    if (item === undefined) throw missing(kind, id, param, hint);
    return item;
  };

  /** In live mode, customers of the test mode are not found; the error names their mode. */
  function findCustomer(id: string, param: string): StripeCustomer {
    const isOfTest = stripe.customersOfTest.some((one) => one.id === id);
    return find(
      stripe.customers,
      'customer',
      id,
      param,
      isOfTest
        ? '; a similar object exists in test mode, but a live mode key was used to make this request.'
        : '',
    );
  }

  function createSession(form: Form): StripeSession {
    const customer = findCustomer(required(form, 'customer'), 'customer').id;
    if (required(form, 'mode') !== 'subscription')
      throw new StripeProblem(400, 'Invalid mode', { param: 'mode' });
    const price = required(form, 'line_items.0.price');
    if (!stripe.prices.includes(price)) throw missing('price', price, 'line_items[0][price]');
    required(form, 'line_items.0.quantity');
    const id = stripeId('cs_test');
    const session: StripeSession = {
      id,
      object: 'checkout.session',
      created: nowSeconds(),
      customer,
      status: 'open',
      url: `https://checkout.stripe.com/c/pay/${id}`,
      metadata: metadataOf(form),
      subscription: null,
      success_url: required(form, 'success_url'),
      cancel_url: required(form, 'cancel_url'),
      price,
    };
    stripe.sessions.push(session);
    return session;
  }

  function expireSession(id: string): StripeSession {
    const session = find(stripe.sessions, 'checkout.session', id);
    if (session.status !== 'open') {
      throw new StripeProblem(
        400,
        `This Session has a status of ${session.status}; only open ones can be expired.`,
      );
    }
    session.status = 'expired';
    session.url = null;
    return session;
  }

  function createCustomer(form: Form): StripeCustomer {
    const customer: StripeCustomer = {
      id: stripeId('cus'),
      object: 'customer',
      created: nowSeconds(),
      livemode: false,
      metadata: metadataOf(form),
    };
    stripe.customers.push(customer);
    return customer;
  }

  function openPortal(form: Form) {
    const customer = findCustomer(required(form, 'customer'), 'customer').id;
    const id = stripeId('bps');
    const return_url = required(form, 'return_url');
    return {
      id,
      object: 'billing_portal.session',
      customer,
      return_url,
      url: `https://billing.stripe.com/p/session/${id}`,
    };
  }

  function cancelSubscription(id: string): StripeSubscription {
    const subscription = find(stripe.subscriptions, 'subscription', id);
    if (subscription.status === 'canceled') throw missing('subscription', id);
    subscription.status = 'canceled';
    subscription.ended_at = nowSeconds();
    return subscription;
  }

  function list(url: URL): StripeAnswer {
    const { pathname, searchParams: query } = url;
    const ofCustomer = <Item extends { customer: string }>(items: Item[]) =>
      newestFirst(items).filter((item) => [null, item.customer].includes(query.get('customer')));
    const status = query.get('status');
    switch (pathname) {
      case '/v1/checkout/sessions':
        return page(
          pathname,
          'checkout.session',
          ofCustomer(stripe.sessions).filter((one) => status === null || one.status === status),
          query,
        );
      case '/v1/subscriptions':
        return page(
          pathname,
          'subscription',
          ofCustomer(stripe.subscriptions).filter((one) => status === 'all' || one.status !== 'canceled'),
          query,
        );
      case '/v1/invoices':
        findCustomer(query.get('customer') ?? '', 'customer');
        return page(pathname, 'invoice', ofCustomer(stripe.invoices), query);
      default:
        throw new StripeProblem(404, `Unrecognized request URL (GET: ${pathname}).`);
    }
  }

  function route(method: string, url: URL, form: Form): StripeAnswer {
    const [, , kind, ...rest] = url.pathname.split('/');
    const ok = (body: unknown): StripeAnswer => ({ status: 200, body });
    const path = `${method} ${[kind, ...rest].join('/')}`;
    if (path === 'POST customers') return ok(createCustomer(form));
    const customer = /^GET customers\/(\w+)$/.exec(path)?.[1];
    if (customer !== undefined) {
      const deleted = stripe.deletedCustomers.find(({ id }) => id === customer);
      return ok(
        deleted ? { id: deleted.id, object: deleted.object, deleted: true } : findCustomer(customer, 'id'),
      );
    }
    if (path === 'POST checkout/sessions') return ok(createSession(form));
    if (path === 'POST billing_portal/sessions') return ok(openPortal(form));
    const expired = /^POST checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1];
    if (expired !== undefined) return ok(expireSession(expired));
    const shown = /^GET checkout\/sessions\/(\w+)$/.exec(path)?.[1];
    if (shown !== undefined) return ok(find(stripe.sessions, 'checkout.session', shown));
    const cancelled = /^DELETE subscriptions\/(\w+)$/.exec(path)?.[1];
    if (cancelled !== undefined) return ok(cancelSubscription(cancelled));
    if (method === 'GET') return list(url);
    throw new StripeProblem(404, `Unrecognized request URL (${method}: ${url.pathname}).`);
  }

  /** Idempotency: a call with a known key gets the original response. */
  function once(key: string | undefined, request: string, run: () => StripeAnswer): StripeAnswer {
    const known = key === undefined ? undefined : idempotent.get(key);
    if (known !== undefined && known.request !== request) {
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.';
      return problemAnswer(new StripeProblem(400, message, { type: 'idempotency_error' }));
    }
    if (known !== undefined) return known.answer;
    let answer: StripeAnswer;
    try {
      // Copied, because objects change later and a stored response must not.
      answer = structuredClone(run());
    } catch (error) {
      if (!(error instanceof StripeProblem)) throw error;
      answer = problemAnswer(error);
    }
    if (key !== undefined) idempotent.set(key, { request, answer });
    return answer;
  }

  const server = await startHttpServer(async (request, response, incoming) => {
    const requestId = stripeId('req');
    const url = new URL(request.path, 'http://stripe.test');
    const form = request.method === 'POST' ? parseForm(request.body) : {};
    const header = request.headers['idempotency-key'];
    const idempotencyKey = typeof header === 'string' ? header : undefined;
    const call = { method: request.method, path: request.path, form, idempotencyKey };
    stripe.calls.push(call);
    await stripe.before?.(call);
    const fault = stripe.always ?? stripe.faults.shift();
    if (fault === 'no connection') return void incoming.socket.destroy();
    if (fault === 'error' || fault === 'rate limit') {
      const status = fault === 'error' ? 503 : 429;
      const type = fault === 'error' ? 'api_error' : 'rate_limit_error';
      return write(response, problemAnswer(new StripeProblem(status, 'Try again.', { type })), requestId);
    }
    if (request.headers.authorization !== `Bearer ${stripe.secretKey}`) {
      return write(response, problemAnswer(new StripeProblem(401, 'Invalid API Key provided')), requestId);
    }
    const type = request.headers['content-type'];
    const isForm = type === undefined || type.startsWith('application/x-www-form-urlencoded');
    const answer = isForm
      ? once(idempotencyKey, `${request.method} ${request.path} ${request.body}`, () =>
          route(request.method, url, form),
        )
      : problemAnswer(new StripeProblem(400, `Invalid content type ${type}`));
    if (fault === 'lost reply') return void incoming.socket.destroy();
    write(response, answer, requestId);
  });

  const stripe: StripeServer = {
    url: server.url,
    secretKey: `sk_test_${'a1'.repeat(12)}`,
    webhookSecret: `whsec_${'b2'.repeat(16)}`,
    prices: ['price_basic', 'price_large'],
    customers: [],
    customersOfTest: [],
    deletedCustomers: [],
    sessions: [],
    subscriptions: [],
    invoices: [],
    calls: [],
    faults: [],
    always: null,
    before: null,
    pay(sessionId) {
      const session = find(stripe.sessions, 'checkout.session', sessionId);
      if (session.status !== 'open') throw new Error(`Nobody can pay on a page that is ${session.status}`);
      const subscription = newSubscription(session.customer, session.price);
      Object.assign(session, { status: 'complete', url: null, subscription: subscription.id });
      stripe.subscriptions.push(subscription);
      stripe.invoices.push(newInvoice(session.customer, stripe.invoices.length + 1));
      return subscription;
    },
    event: (type, object) => ({
      id: stripeId('evt'),
      object: 'event',
      type,
      created: nowSeconds(),
      livemode: false,
      data: { object: structuredClone(object) },
    }),
    close: server.close,
  };
  return stripe;
}
