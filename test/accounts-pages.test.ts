import { describe, expect, it } from 'vitest';
import { accountEmailSettings } from '../core/config/account-email.ts';
import { sitePages } from '../core/config/urls.ts';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { formatMessage, messages } from '../core/messages/messages.ts';
import { createOwnerNotifier } from '../temporal/activities/sweeps/notify-owners.ts';
import { suspendSenders } from '../temporal/activities/sweeps/suspend-senders.ts';
import {
  accountMessages,
  createVerifiedPerson,
  mailedToken,
  useProductWithAccountMail,
} from './setup/account-mail.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { callApi, createOwnProject, createTestPerson, testPassword } from './setup/people.ts';
import { startSignInServer } from './setup/sign-in-server.ts';
import { startStripeServer } from './setup/stripe/stripe-server.ts';
import { visitPage } from './setup/subscribers.ts';

const guessesPerMinute = 60;
const elsewhere = fileFixture(startSignInServer, ({ close }) => close());
const stripe = fileFixture(startStripeServer, ({ close }) => close());
const stack = useProductWithAccountMail(() => ({
  AUTH_RATE_LIMIT_PER_MINUTE: String(guessesPerMinute),
  TRUST_PROXY: 'true',
  OAUTH_GITHUB_URL: elsewhere.url,
  OAUTH_GITHUB_CLIENT_ID: elsewhere.clientId,
  OAUTH_GITHUB_CLIENT_SECRET: elsewhere.clientSecret,
  STRIPE_SECRET_KEY: stripe.secretKey,
  STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
  STRIPE_PRICE_IDS: stripe.prices.join(','),
  STRIPE_API_URL: stripe.url,
}));

const visit = (path: string, form?: Record<string, string>, headers: Record<string, string> = {}) =>
  visitPage(`${stack.url}${path}`, form, headers);
const logIn = (email: string, password: string) =>
  callApi(stack.url, 'POST', '/auth/login', { email, password });
const newPassword = 'another pass phrase';

/** The path and query of the link in the newest email to this address. */
async function mailedLink(email: string, page: string): Promise<{ path: string; token: string }> {
  const messages = await eventually(
    async () => (await accountMessages(stack, email)).filter(({ link }) => link.pathname === page),
    (found) => found.length > 0,
  );
  const { link, token } = messages.at(-1) ?? { link: new URL('none:'), token: '' };
  expect(link.origin).toBe(stack.url);
  return { path: `${link.pathname}${link.search}`, token };
}

describe('without a dashboard, a mailed link leads to a page that', () => {
  it('verifies an address when its button is pressed, not when it is opened', async () => {
    const person = await createTestPerson(stack.url);
    const { path, token } = await mailedLink(person.email, '/verify-email');
    const isVerified = async () => (await person.call('GET', '/users/@me')).body.emailVerified;
    const page = await visit(path);
    expect([page.status, await isVerified()]).toEqual([200, false]);
    expect(page.text).toContain(`value="${token}"`);
    const form = { token, password: testPassword };
    expect(await visit('/verify-email', form)).toMatchObject({ status: 200 });
    expect(await isVerified()).toBe(true);
    expect((await visit('/verify-email', { token })).status).toBe(400);
  });

  it('takes a new password, which ends the sessions; a bad one gets the form again', async () => {
    const person = await createTestPerson(stack.url);
    await callApi(stack.url, 'POST', '/auth/request-password-reset', { email: person.email });
    const { path, token } = await mailedLink(person.email, '/reset-password');
    expect((await visit(path)).text).toContain('type="password"');
    const refused = await visit('/reset-password', { token, password: 'short' });
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([422, true]);
    expect(refused.text).not.toContain('value="short"');
    expect((await visit('/reset-password', { token, password: newPassword })).status).toBe(200);
    expect((await logIn(person.email, testPassword)).status).toBe(401);
    expect((await logIn(person.email, newPassword)).status).toBe(200);
    expect((await person.call('GET', '/users/@me')).status).toBe(401);
    expect((await visit('/reset-password', { token, password: testPassword })).status).toBe(400);
    expect((await visit(path)).status).toBe(400);
  });

  it('answers a form that is submitted twice, as by a double click, like the first time', async () => {
    const owner = await createVerifiedPerson(stack);
    const project = await createOwnProject(owner);
    const invited = 'twice@example.com';
    await owner.call('POST', `/projects/${project.id}/members`, { email: invited, role: 'MEMBER' });
    await callApi(stack.url, 'POST', '/auth/request-password-reset', { email: owner.email });
    const { email: newcomer } = await createTestPerson(stack.url);
    for (const [email, page, done] of [
      [newcomer, '/verify-email', messages.en['account.verifyDone']],
      [owner.email, '/reset-password', messages.en['account.resetDone']],
      [invited, '/accept-invitation', formatMessage('en', 'account.createDone', { email: invited })],
    ] as const) {
      const { token } = await mailedLink(email, page);
      const press = () => visit(page, { token, password: newPassword });
      const answers = [...(await Promise.all([press(), press()])), await press()];
      for (const { status, text } of answers)
        expect([status, text]).toEqual([200, expect.stringContaining(done)]);
      // Its attributes hold the time of the answer.
      const devices = answers.map(({ headers }) => headers.get('set-cookie')?.split(';')[0]);
      expect(new Set(devices).size).toBe(1);
    }
  });

  it('makes the account of an invitation for its address, and for no other', async () => {
    const owner = await createVerifiedPerson(stack);
    const project = await createOwnProject(owner);
    const email = 'invited@example.com';
    await owner.call('POST', `/projects/${project.id}/members`, { email, role: 'MEMBER' });
    const { path, token } = await mailedLink(email, '/accept-invitation');
    expect((await visit(path)).text).toContain(email);
    expect((await visit('/accept-invitation', { token, password: 'short' })).status).toBe(422);
    const made = await visit('/accept-invitation', {
      token,
      password: newPassword,
      email: 'other@example.com',
    });
    expect([made.status, made.headers.getSetCookie()]).toEqual([200, []]);
    expect((await logIn('other@example.com', newPassword)).status).toBe(401);
    const signedIn = await logIn(email, newPassword);
    expect(signedIn.body.user.emailVerified).toBe(true);
    // The page signs nobody in, so the only session is the one created afterward.
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const sessions = await callApi(stack.url, 'GET', '/auth/sessions', undefined, { Cookie: cookie });
    expect(sessions.body.data).toMatchObject([{ current: true }]);
    const { data } = (await owner.call('GET', `/projects/${project.id}/members`)).body;
    expect(data.map((member: { email: string }) => member.email)).toEqual([owner.email, email]);
    expect((await visit(path)).status).toBe(400);
  });

  it('says that an invited address already has an account', async () => {
    const owner = await createVerifiedPerson(stack);
    const project = await createOwnProject(owner);
    const person = await createTestPerson(stack.url);
    await owner.call('POST', `/projects/${project.id}/members`, { email: person.email, role: 'MEMBER' });
    const token = await mailedToken(stack, person.email, '/verify-email');
    expect((await visit('/verify-email', { token, password: testPassword })).status).toBe(200);
    expect((await person.call('GET', '/users/@me/projects')).body.data).toMatchObject([{ id: project.id }]);
  });
});

describe('without a dashboard, a user who returns from another site', () => {
  const pageAt = async (address: unknown) => {
    const { origin, pathname } = new URL(String(address));
    expect(origin).toBe(stack.url);
    return visit(pathname, undefined, { 'Accept-Language': 'de' });
  };

  it('sees that the sign-in is complete', async () => {
    elsewhere.account = { id: 1, email: 'octocat@example.com', isVerified: true };
    const started = await callApi(stack.url, 'GET', '/auth/oauth/github');
    const there = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
    const back = new URL(there.headers.get('location') ?? '');
    const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const signedIn = await visit(`${back.pathname}${back.search}`, undefined, { Cookie: cookie });
    expect(signedIn.status).toBe(302);
    const page = await pageAt(signedIn.headers.get('location'));
    expect([page.status, page.headers.get('Content-Language')]).toEqual([200, 'de']);
    expect(page.text).toContain('<h1>Sie sind angemeldet</h1>');
  });

  it('sees after a checkout and the billing portal that the page can be closed', async () => {
    const owner = await createTestPerson(stack.url);
    const project = await createOwnProject(owner);
    const open = (endpoint: string) => owner.call('POST', `/users/@me/projects/${project.id}/${endpoint}`);
    await open('checkout');
    const { success_url: success, cancel_url: cancelled } = stripe.sessions.at(-1) ?? {};
    await open('billing-portal');
    const portal = stripe.calls.at(-1)?.form.return_url;
    const pages = await Promise.all([success, cancelled, portal].map(pageAt));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(pages.map(({ text }) => /<h1>(.*)<\/h1>/.exec(text)?.[1])).size).toBe(3);
    for (const { text } of pages) expect(text).toContain('Sie können diese Seite schließen.');
  });
});

it('without a dashboard, the email about a disabled project has no link', async () => {
  const owner = await createTestPerson(stack.url);
  const project = await createOwnProject(owner);
  await stack.sql(
    `insert into project_email_days (project_id, day, sent, bounced, judged)
     values ($1, (now() at time zone 'UTC')::date, 1000, 200, false)`,
    [project.id],
  );
  const { config } = stack.product.resources;
  const notifyOwners = createOwnerNotifier({
    from: accountEmailSettings(config).from,
    pageOf: sitePages(config).security,
    linkKey: deriveKey(config.APP_SECRET, 'account-link'),
  });
  await suspendSenders(stack.em(), { autoDisable: true, notifyOwners });
  const [message] = await eventually(
    async () =>
      (await accountMessages(stack, owner.email)).filter(({ subject }) => subject.includes('is stopped')),
    (found) => found.length > 0,
  );
  expect(message?.text).toContain('(20%)');
  expect(message?.html).not.toContain('href');
  expect(message?.text).not.toContain(stack.url);
});

it('account pages speak the language of the browser, escape what they show and run nothing', async () => {
  const token = '"><script>alert(1)</script>';
  const query = `?token=${encodeURIComponent(token)}`;
  for (const path of ['/verify-email', '/reset-password']) {
    const page = await visit(`${path}${query}`, undefined, { 'Accept-Language': 'de-AT' });
    expect(page.headers.get('Content-Language')).toBe('de');
    const raw = await (await fetch(`${stack.url}${path}${query}`)).text();
    expect(raw).not.toContain('<script');
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    expect([page.headers.get('Referrer-Policy'), page.headers.get('Cache-Control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
  }
  const cut = await visit('/verify-email', undefined, { 'Accept-Language': 'de-AT' });
  expect([cut.status, cut.headers.get('Content-Language')]).toEqual([422, 'de']);
});

it('links that are guessed are slowed down by address', async () => {
  const guess = (address: string) =>
    visit('/reset-password', { token: 'guess', password: newPassword }, { 'X-Forwarded-For': address });
  const statuses = new Set<number>();
  // The limit counts by the minute, and one may end meanwhile.
  for (let tries = 0; tries <= 2 * guessesPerMinute; tries += 1) {
    statuses.add((await guess('198.51.100.1')).status);
  }
  expect([...statuses]).toEqual([400, 429]);
  expect((await guess('198.51.100.2')).status).toBe(400);
});
