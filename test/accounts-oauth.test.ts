import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import type { TestAnswer } from './setup/answer.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { callApi, createTestPerson, personOf, sessionOf, testPassword } from './setup/people.ts';
import { useTestProduct } from './setup/product.ts';
import { startSignInServer } from './setup/sign-in-server.ts';
import { visitPage } from './setup/subscribers.ts';
import { untilWaiting } from './setup/until-blocking.ts';

/** More requests than the other tests make. */
const requestsPerMinute = 150;
const elsewhere = fileFixture(startSignInServer, ({ close }) => close());
const stack = useTestProduct(() => ({
  AUTH_RATE_LIMIT_PER_MINUTE: String(requestsPerMinute),
  TRUST_PROXY: 'true',
  OAUTH_GOOGLE_ISSUER: elsewhere.url,
  OAUTH_GOOGLE_CLIENT_ID: elsewhere.clientId,
  OAUTH_GOOGLE_CLIENT_SECRET: elsewhere.clientSecret,
  OAUTH_GITHUB_URL: elsewhere.url,
  OAUTH_GITHUB_CLIENT_ID: elsewhere.clientId,
  OAUTH_GITHUB_CLIENT_SECRET: elsewhere.clientSecret,
  DASHBOARD_URL: 'https://app.example.com',
}));
let lastId = 0;

beforeEach(() => {
  elsewhere.claims = {};
  elsewhere.isThin = false;
});

const providers = ['google', 'github'] as const;
type Provider = (typeof providers)[number];

function newAccount(email: string, isVerified = true) {
  lastId += 1;
  elsewhere.account = { id: lastId, email, isVerified };
  return elsewhere.account;
}

const attemptOf = (answer: TestAnswer) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
const pathOf = (location: string | null) => {
  const { pathname, search } = new URL(location ?? '');
  return `${pathname}${search}`;
};

/**
 * Does what a browser does: calls us, follows the redirect to the provider, and returns with the cookie of the first
 * call.
 */
async function begin(provider: Provider) {
  const started = await callApi(stack.url, 'GET', `/auth/oauth/${provider}`);
  const there = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
  return { started, cookie: attemptOf(started), callback: pathOf(there.headers.get('location')) };
}

async function signIn(provider: Provider): Promise<TestAnswer> {
  const { cookie, callback } = await begin(provider);
  return callApi(stack.url, 'GET', callback, undefined, { Cookie: cookie });
}

async function userOf(answer: TestAnswer) {
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://app.example.com/']);
  return (await callApi(stack.url, 'GET', '/users/@me', undefined, { Cookie: sessionOf(answer) })).body;
}

it('is offered for the providers that are configured', async () => {
  expect((await callApi(stack.url, 'GET', '/auth/oauth-config')).body).toEqual({
    google: true,
    github: true,
  });
});

describe.each(providers)('sign-in with %s', (provider) => {
  it('creates a user with a verified address, and finds it again after the address has changed', async () => {
    const account = newAccount(`New-${provider}@Example.com`);
    const user = await userOf(await signIn(provider));
    expect(user).toMatchObject({ email: `new-${provider}@example.com`, emailVerified: true });
    elsewhere.account = { ...account, email: 'moved@example.com', isVerified: false };
    expect(await userOf(await signIn(provider))).toEqual(user);
  });

  it('of somebody new in two tabs at once signs both in, to one account', async () => {
    newAccount(`tabs-${provider}@example.com`);
    const tabs = [await begin(provider), await begin(provider)];
    let answers: Promise<TestAnswer>[] = [];
    await stack.em().transactional(async (em) => {
      // Stops the first before it has linked the account, when the second has seen that nothing is linked.
      await sql(em, 'lock table oauth_identities in exclusive mode');
      answers = tabs.map(({ callback, cookie }) =>
        callApi(stack.url, 'GET', callback, undefined, { Cookie: cookie }),
      );
      await untilWaiting(em, 2);
    });
    const [first, second] = await Promise.all(answers.map(async (answer) => userOf(await answer)));
    expect(first).toMatchObject({ email: `tabs-${provider}@example.com`, emailVerified: true });
    expect(second).toEqual(first);
  });

  it('finds its cookie beside one of the same name from a site on a parent domain', async () => {
    newAccount(`both-${provider}@example.com`);
    const { cookie, callback } = await begin(provider);
    const both = { Cookie: `oauth=theirs; ${cookie}` };
    const user = await userOf(await callApi(stack.url, 'GET', callback, undefined, both));
    expect(user.email).toBe(`both-${provider}@example.com`);
  });

  it('sends a fresh state and a PKCE challenge, and keeps the verifier to this browser', async () => {
    newAccount('pkce@example.com');
    const [first, second] = [await begin(provider), await begin(provider)];
    const query = (answer: TestAnswer) => new URL(answer.headers.get('location') ?? '').searchParams;
    expect(query(first.started).get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'code_challenge']) {
      expect(query(first.started).get(name)?.length).toBeGreaterThanOrEqual(43);
      expect(query(first.started).get(name)).not.toBe(query(second.started).get(name));
    }
    expect(query(first.started).has('code_verifier')).toBe(false);
    expect(first.started.headers.getSetCookie()[0]).toMatch(
      /; path=\/; expires=.+ GMT; samesite=lax; httponly$/,
    );
  });

  it("refuses an answer to another browser's attempt, a forged state, and a used code", async () => {
    newAccount(`forged-${provider}@example.com`);
    const [mine, other] = [await begin(provider), await begin(provider)];
    const finish = (path: string, cookie: string) =>
      callApi(stack.url, 'GET', path, undefined, { Cookie: cookie });
    for (const refused of [
      await finish(mine.callback, ''),
      await finish(mine.callback, other.cookie),
      await finish(mine.callback.replace(/state=[^&]*/, 'state=x'), mine.cookie),
      await finish(mine.callback, `${mine.cookie.slice(0, -2)}xx`),
    ]) {
      expect([refused.status, refused.body.error.code, sessionOf(refused)]).toEqual([400, 'BAD_REQUEST', '']);
    }
    expect((await finish(other.callback, other.cookie)).status).toBe(302);
    expect((await finish(other.callback, other.cookie)).status).toBe(400);
  });

  it('leads a browser back to the sign-in page, with the reason of a refusal', async () => {
    const Accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const browse = (path: string, cookie = '') =>
      callApi(stack.url, 'GET', path, undefined, { Accept, Cookie: cookie });
    const expectRefusal = (answer: TestAnswer, reason: string) => {
      const location = `https://app.example.com/sign-in?error=${reason}`;
      expect([answer.status, answer.headers.get('location'), sessionOf(answer)]).toEqual([302, location, '']);
    };
    newAccount(`browser-${provider}@example.com`);
    const { callback, cookie } = await begin(provider);
    expectRefusal(await browse(callback), 'attempt_expired');
    expectRefusal(await browse(callback.replace(/code=[^&]*/, 'code=x'), cookie), 'provider_refused');
    newAccount(`unverified-${provider}@example.com`, false);
    const unverified = await begin(provider);
    expectRefusal(await browse(unverified.callback, unverified.cookie), 'address_not_verified');
    const script = await callApi(stack.url, 'GET', callback);
    expect(script.body.error.details).toEqual({ reason: 'attempt_expired' });
  });

  it('refuses users who decline, or whose address is not verified', async () => {
    elsewhere.account = null;
    const declined = await signIn(provider);
    expect([declined.status, declined.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    newAccount(`unproven-${provider}@example.com`, false);
    const unproven = await signIn(provider);
    expect([unproven.status, unproven.body.error.code, sessionOf(unproven)]).toEqual([403, 'FORBIDDEN', '']);
  });

  it('never opens another account through an unverified address', async () => {
    const victim = await createTestPerson(stack.url);
    await stack.sql('update users set email_verified = true where id = $1', [victim.id]);
    newAccount(victim.email, false);
    expect((await signIn(provider)).status).toBe(403);
    expect((await victim.call('GET', '/users/@me')).status).toBe(200);
  });

  it('links to the user with the same verified address, whose password keeps working', async () => {
    const person = await createTestPerson(stack.url);
    await stack.sql('update users set email_verified = true where id = $1', [person.id]);
    newAccount(person.email);
    expect((await userOf(await signIn(provider))).id).toBe(person.id);
    expect((await person.call('GET', '/users/@me')).status).toBe(200);
    const login = await callApi(stack.url, 'POST', '/auth/login', {
      email: person.email,
      password: testPassword,
    });
    expect(login.status).toBe(200);
  });

  it("takes an account from someone who signed up with another person's address", async () => {
    const squatter = await createTestPerson(stack.url);
    newAccount(squatter.email);
    const answer = await signIn(provider);
    const owner = personOf(stack.url, await userOf(answer), sessionOf(answer));
    expect(owner.id).toBe(squatter.id);
    expect((await squatter.call('GET', '/users/@me')).status).toBe(401);
    const login = { email: squatter.email, password: testPassword };
    expect((await callApi(stack.url, 'POST', '/auth/login', login)).status).toBe(401);
  });
});

it('asks a provider for the address that its ID token leaves out', async () => {
  elsewhere.isThin = true;
  newAccount('thin@example.com');
  expect(await userOf(await signIn('google'))).toMatchObject({
    email: 'thin@example.com',
    emailVerified: true,
  });
  newAccount('thin-unproven@example.com', false);
  expect((await signIn('google')).status).toBe(403);
});

describe('a browser gets a page that links back to the sign-in', () => {
  const visit = (path: string, address: string, Cookie = '') =>
    visitPage(`${stack.url}${path}`, undefined, {
      Accept: 'text/html,*/*;q=0.8',
      'X-Forwarded-For': address,
      Cookie,
    });
  const expectPage = (page: Awaited<ReturnType<typeof visit>>, status: number, title: string) => {
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.text).toContain(title);
    expect(page.text).toContain('href="https://app.example.com/sign-in"');
  };

  it('after an error of ours, while other clients get an error', async () => {
    newAccount('lost@example.com');
    const { callback, cookie } = await begin('github');
    await stack.sql('alter table oauth_identities rename to put_aside');
    try {
      expectPage(await visit(callback, '198.51.100.1', cookie), 500, 'Something went wrong.');
      const { status, body } = await signIn('github');
      expect([status, body.error.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    } finally {
      await stack.sql('alter table put_aside rename to oauth_identities');
    }
  });

  it('after a link to an unknown provider', async () => {
    expectPage(await visit('/auth/oauth/myspace', '198.51.100.2'), 422, 'This link is not valid.');
  });

  it('after too many requests', async () => {
    const visitOften = () =>
      Promise.all(Array.from({ length: 50 }, () => visit('/auth/oauth/google', '198.51.100.3')));
    const pages = await eventually(visitOften, (answers) => answers.some(({ status }) => status === 429));
    const [refused] = pages.filter(({ status }) => status === 429);
    if (refused) expectPage(refused, 429, 'Too many attempts.');
  });
});

it('refuses an answer of another issuer', async () => {
  newAccount('mix-up@example.com');
  const { cookie, callback } = await begin('github');
  const foreign = callback.replace(
    /iss=[^&]*/,
    `iss=${encodeURIComponent('https://evil.example/login/oauth')}`,
  );
  expect(foreign).not.toBe(callback);
  const finish = (path: string) => callApi(stack.url, 'GET', path, undefined, { Cookie: cookie });
  const { status, body } = await finish(foreign);
  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  expect((await finish(callback)).status).toBe(302);
});

it.each([
  ['another issuer', { iss: 'https://evil.example' }],
  ['another audience', { aud: 'another client' }],
  ['another nonce', { nonce: 'x' }],
])('refuses an ID token with %s', async (_, claims) => {
  newAccount('token@example.com');
  elsewhere.claims = claims;
  const { status, body } = await signIn('google');
  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
});
