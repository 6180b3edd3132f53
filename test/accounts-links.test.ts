import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { accountMessages, mailedToken, useProductWithAccountMail } from './setup/account-mail.ts';
import { eventually } from './setup/eventually.ts';
import { callApi, createTestPerson, sessionOf, testPassword } from './setup/people.ts';

const stack = useProductWithAccountMail({ DASHBOARD_URL: 'https://app.example.com/mail/' });

const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  callApi(stack.url, 'POST', path, body, headers);
const run = (text: string, parameters: unknown[] = []) =>
  stack.sql<Record<string, unknown>>(text, parameters);
const newPassword = 'another long pass phrase';

describe('the proof of an address', () => {
  it('is a link sent after sign-up that works once, and a second use says so', async () => {
    const person = await createTestPerson(stack.url, 'ada@example.com');
    const token = await mailedToken(stack, person.email, '/mail/verify-email');
    const [message] = await accountMessages(stack, person.email);
    expect(message).toMatchObject({
      from: 'Posthaste <service@accounts.test>',
      subject: 'Confirm your email address',
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    expect(message?.html.match(/<a (?!ses:no-track )/g)).toBeNull();
    expect(message?.link.href).toBe(`https://app.example.com/mail/verify-email?token=${token}`);
    expect(message?.text.split(message?.link.href ?? '')).toHaveLength(2);
    expect(message?.text).toContain('for 24 hours');
    expect((await person.call('GET', '/users/@me')).body.emailVerified).toBe(false);
    expect(await person.call('POST', '/auth/verify-email', { token })).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect((await person.call('GET', '/users/@me')).body.emailVerified).toBe(true);
    const again = await post('/auth/verify-email', { token });
    expect([again.status, again.body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'Bestätigen Sie Ihre E-Mail-Adresse'],
    // The header as Firefox writes it.
    ['fr,fr-FR;q=0.8,en-US;q=0.5,en;q=0.3', 'Confirmez votre adresse e-mail'],
    ['sv, en;q=0.2, de;q=0.7', 'Bestätigen Sie Ihre E-Mail-Adresse'],
  ])('comes in the language of the browser: %s', async (language, subject) => {
    const email = `grete-${randomUUID()}@example.com`;
    const account = { email, password: testPassword };
    await callApi(stack.url, 'POST', '/auth/signup', account, { 'Accept-Language': language });
    await mailedToken(stack, email, '/mail/verify-email');
    expect((await accountMessages(stack, email))[0]?.subject).toBe(subject);
  });

  it('can be requested again; using one link invalidates all earlier ones', async () => {
    const person = await createTestPerson(stack.url);
    const first = await mailedToken(stack, person.email, '/mail/verify-email');
    await post('/auth/request-verification', { email: person.email });
    const second = await mailedToken(stack, person.email, '/mail/verify-email', 2);
    expect(second).not.toBe(first);
    expect((await post('/auth/verify-email', { token: second })).status).toBe(200);
    expect((await post('/auth/verify-email', { token: first })).status).toBe(400);
  });

  it('is emailed at most five times an hour', async () => {
    const person = await createTestPerson(stack.url);
    for (let request = 0; request < 7; request += 1) {
      expect((await post('/auth/request-verification', { email: person.email })).status).toBe(200);
      await eventually(
        () => run('select count(*)::int as n from account_tokens where user_id = $1', [person.id]),
        ([row]) => Number(row?.n) >= Math.min(request + 2, 5),
      );
    }
    await mailedToken(stack, person.email, '/mail/verify-email', 5);
    expect(await run('select count(*)::int as n from emails where to_email = $1', [person.email])).toEqual([
      { n: 5 },
    ]);
  });

  it('is emailed at most five times an hour, even for concurrent calls', async () => {
    const person = await createTestPerson(stack.url);
    const links = () => run('select count(*)::int as n from account_tokens where user_id = $1', [person.id]);
    await Promise.all(
      Array.from({ length: 30 }, () => post('/auth/request-verification', { email: person.email })),
    );
    await eventually(links, ([row]) => Number(row?.n) >= 5);
    // The API answered before it created the links.
    await delay(1_000);
    expect(await links()).toEqual([{ n: 5 }]);
  });
});

describe('a new password', () => {
  const reset = async (email: string) => {
    await post('/auth/request-password-reset', { email });
    return mailedToken(stack, email, '/mail/reset-password');
  };

  it('ends every session: none survives the reset', async () => {
    const person = await createTestPerson(stack.url);
    const elsewhere = await post('/auth/login', { email: person.email, password: testPassword });
    const token = await reset(person.email);
    const messages = await accountMessages(stack, person.email);
    expect(messages.find(({ link }) => link.pathname === '/mail/reset-password')?.text).toContain(
      'for 1 hour.',
    );
    expect((await person.call('GET', '/users/@me')).status).toBe(200);
    expect((await post('/auth/reset-password', { token, password: newPassword })).status).toBe(200);
    for (const cookie of [person.cookie, sessionOf(elsewhere)]) {
      const answer = await callApi(stack.url, 'GET', '/users/@me', undefined, { Cookie: cookie });
      expect(answer.status).toBe(401);
    }
    expect((await post('/auth/login', { email: person.email, password: testPassword })).status).toBe(401);
    const fresh = await post('/auth/login', { email: person.email, password: newPassword });
    expect([fresh.status, fresh.body.user.emailVerified]).toEqual([200, true]);
  });

  it('is set by one of two calls with the same link at once', async () => {
    const person = await createTestPerson(stack.url);
    const token = await reset(person.email);
    const answers = await Promise.all(
      ['first long password', 'second long password'].map((password) =>
        post('/auth/reset-password', { token, password }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('is not set by an expired or guessed link, or one with another purpose', async () => {
    const person = await createTestPerson(stack.url);
    const verification = await mailedToken(stack, person.email, '/mail/verify-email');
    const token = await reset(person.email);
    await run(
      `update account_tokens set expires_at = now() where user_id = $1 and purpose = 'reset-password'`,
      [person.id],
    );
    for (const bad of [token, verification, `${token.slice(0, -1)}_`, 'x']) {
      const { status, body } = await post('/auth/reset-password', { token: bad, password: newPassword });
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect((await post('/auth/login', { email: person.email, password: testPassword })).status).toBe(200);
    const weak = await post('/auth/reset-password', { token, password: 'short' });
    expect(weak.status).toBe(422);
  });
});

describe('user enumeration', () => {
  it.each(['/auth/request-password-reset', '/auth/request-verification'])(
    'gets the same answer from %s for a known and an unknown address, without waiting for the email',
    async (path) => {
      const person = await createTestPerson(stack.url);
      const known = await post(path, { email: person.email });
      const unknown = await post(path, { email: 'nobody@example.com' });
      expect(known.status).toBe(200);
      expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
      const namesOf = (headers: Headers) => [...headers.keys()].toSorted();
      expect(namesOf(unknown.headers)).toEqual(namesOf(known.headers));
      expect(await run('select 1 from emails where to_email = $1', ['nobody@example.com'])).toEqual([]);
    },
  );

  it('by timing: the answer does not wait for the work that only a known address causes', async () => {
    const person = await createTestPerson(stack.url);
    const blocked = stack.em();
    await blocked.begin();
    // Any other writer of a token would wait for this lock.
    await sql(blocked, 'lock table account_tokens in access exclusive mode');
    const answer = await post('/auth/request-password-reset', { email: person.email });
    expect(answer.status).toBe(200);
    await blocked.rollback();
    await mailedToken(stack, person.email, '/mail/reset-password');
  });
});

describe('the stored form of a link', () => {
  it('is useless to an attacker who reads the database', async () => {
    const person = await createTestPerson(stack.url);
    const token = await mailedToken(stack, person.email, '/mail/verify-email');
    const dump = JSON.stringify([
      await run(
        `select id::text, encode(token_hash, 'escape') as h, encode(token_hash, 'base64') as b from account_tokens`,
      ),
      await run('select * from message_contents'),
      await run('select * from emails'),
      await run('select * from events'),
    ]);
    expect(dump).not.toContain(token);
    expect(dump).toContain('sealedLink');
  });
});

describe('a link that signs in', () => {
  it('works once, and only when its page sends the token', async () => {
    const person = await createTestPerson(stack.url);
    const { accountLinks } = stack.product.services;
    const [token, other] = [
      await accountLinks.createSignIn(person.id),
      await accountLinks.createSignIn(person.id),
    ];
    expect((await callApi(stack.url, 'GET', `/auth/one-time?token=${token}`)).status).toBe(404);
    const answer = await post('/auth/one-time', { token });
    expect(answer).toMatchObject({ status: 200, body: { user: { id: person.id } } });
    const me = await callApi(stack.url, 'GET', '/users/@me', undefined, { Cookie: sessionOf(answer) });
    expect(me.body.email).toBe(person.email);
    for (const used of [token, other])
      expect((await post('/auth/one-time', { token: used })).status).toBe(400);
  });

  it('is used up by one of two browsers at the same moment, and expires', async () => {
    const person = await createTestPerson(stack.url);
    const { accountLinks } = stack.product.services;
    const token = await accountLinks.createSignIn(person.id);
    const both = await Promise.all([post('/auth/one-time', { token }), post('/auth/one-time', { token })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const late = await accountLinks.createSignIn(person.id);
    await run('update account_tokens set expires_at = now() where user_id = $1', [person.id]);
    expect((await post('/auth/one-time', { token: late })).status).toBe(400);
  });

  it('opens nothing as a link of another kind', async () => {
    const person = await createTestPerson(stack.url);
    const token = await stack.product.services.accountLinks.createSignIn(person.id);
    expect((await post('/auth/reset-password', { token, password: newPassword })).status).toBe(400);
    const mailed = await mailedToken(stack, person.email, '/mail/verify-email');
    expect((await post('/auth/one-time', { token: mailed })).status).toBe(400);
  });
});
