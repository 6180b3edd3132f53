import { describe, expect, it } from 'vitest';
import { mailedToken, useProductWithAccountMail } from './setup/account-mail.ts';
import type { TestAnswer } from './setup/answer.ts';
import { callApi, createTestPerson, type TestPerson, testPassword } from './setup/people.ts';
import { startAnotherApi } from './setup/processes.ts';

const limit = 5;
const stack = useProductWithAccountMail({
  LOGIN_ATTEMPTS_PER_ACCOUNT: String(limit),
  TRUST_PROXY: 'true',
});

let addresses = 0;
/** A client address that no test has used before. */
const newAddress = () => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};
const logIn = (
  email: string,
  password: string,
  { address = newAddress(), cookie = '', url = stack.url } = {},
): Promise<TestAnswer> =>
  callApi(url, 'POST', '/auth/login', { email, password }, { 'X-Forwarded-For': address, Cookie: cookie });
const deviceOf = (answer: TestAnswer) =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('device='))
    ?.split(';')[0] ?? '';
/** Guesses passwords, each from a new address, until the account accepts no more guesses. */
async function attack(email: string, guesses = limit): Promise<void> {
  for (let guess = 0; guess < guesses; guess += 1) {
    expect((await logIn(email, 'a wrong pass phrase')).status).toBe(401);
  }
  expect((await logIn(email, 'a wrong pass phrase')).status).toBe(429);
}
const withoutId = ({ status, headers, body }: TestAnswer) => {
  const { requestId, ...error } = body.error;
  return { status, error, headers: [...headers.keys()].toSorted() };
};

describe('wrong passwords for an account', () => {
  it('are limited per account across all addresses, and then block even the right password', async () => {
    const person = await createTestPerson(stack.url);
    await attack(person.email);
    const answer = await logIn(person.email, testPassword);
    expect([answer.status, answer.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const seconds = Number(answer.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  it('are counted together when they arrive at two processes at once', async () => {
    const person = await createTestPerson(stack.url);
    const second = await startAnotherApi(stack);
    try {
      const urls = [stack.url, second.url];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          logIn(person.email, 'a wrong pass phrase', { url: urls[index % 2] }),
        ),
      );
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(limit);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - limit);
    } finally {
      await second.stop();
    }
  });

  it('get the same answers when there is no such account', async () => {
    const person = await createTestPerson(stack.url);
    for (let guess = 0; guess <= limit; guess += 1) {
      const [known, unknown] = [
        withoutId(await logIn(person.email, 'a wrong pass phrase')),
        withoutId(await logIn(`no-${person.email}`, 'a wrong pass phrase')),
      ];
      if (known.status === 401) expect(unknown).toEqual(known);
      else expect([unknown.status, unknown.headers]).toEqual([known.status, known.headers]);
    }
  });

  it('are not counted when the passwords were right', async () => {
    const person = await createTestPerson(stack.url);
    for (let time = 0; time <= limit; time += 1) {
      expect((await logIn(person.email, testPassword)).status).toBe(200);
    }
  });
});

describe('a stranger locks nobody out', () => {
  let person: TestPerson;

  it('from a device that signed in before, from any address', async () => {
    person = await createTestPerson(stack.url);
    const first = await logIn(person.email, testPassword);
    const cookie = deviceOf(first);
    const [header] = first.headers.getSetCookie().filter((each) => each.startsWith('device='));
    expect(header).toMatch(/^device=[\w-]{43}; path=\/; expires=.+ GMT; samesite=lax; httponly$/);
    await attack(person.email);
    // As browsers also send one of a site on a parent domain.
    const both = `device=desktop; ${cookie}`;
    expect((await logIn(person.email, testPassword, { cookie: both })).status).toBe(200);
    // The device has an allowance of its own, of the same size.
    for (let guess = 0; guess < limit; guess += 1) {
      expect((await logIn(person.email, 'a wrong pass phrase', { cookie })).status).toBe(401);
    }
    expect((await logIn(person.email, testPassword, { cookie })).status).toBe(429);
  });

  it('from an address that signed in before', async () => {
    const address = newAddress();
    const email = `address-${person.email}`;
    const body = { email, password: testPassword };
    const signedUp = await callApi(stack.url, 'POST', '/auth/signup', body, { 'X-Forwarded-For': address });
    expect(signedUp.status).toBe(201);
    await attack(email);
    expect((await logIn(email, testPassword)).status).toBe(429);
    expect((await logIn(email, testPassword, { address })).status).toBe(200);
  });

  it('who sets a new password by a mailed link; earlier devices are then unknown', async () => {
    person = await createTestPerson(stack.url);
    const stolen = deviceOf(await logIn(person.email, testPassword));
    await attack(person.email);
    await callApi(stack.url, 'POST', '/auth/request-password-reset', { email: person.email });
    const token = await mailedToken(stack, person.email, '/reset-password');
    const password = 'another long pass phrase';
    const reset = await callApi(stack.url, 'POST', '/auth/reset-password', { token, password });
    expect(reset.status).toBe(200);
    expect((await logIn(person.email, password, { cookie: deviceOf(reset) })).status).toBe(200);
    expect((await logIn(person.email, password, { cookie: stolen })).status).toBe(429);
  });

  it('with a device that a site on a parent domain gave the browser before the first sign-in', async () => {
    person = await createTestPerson(stack.url);
    const planted = `device=${'x'.repeat(43)}`;
    const cookie = deviceOf(await logIn(person.email, testPassword, { cookie: planted }));
    expect(cookie).not.toBe(planted);
    await attack(person.email);
    expect((await logIn(person.email, 'a wrong pass phrase', { cookie: planted })).status).toBe(429);
    const both = `${planted}; ${cookie}`;
    const again = await logIn(person.email, testPassword, { cookie: both });
    expect([again.status, deviceOf(again)]).toEqual([200, cookie]);
  });

  it('by the device of another account', async () => {
    const stranger = await createTestPerson(stack.url);
    const cookie = deviceOf(await logIn(stranger.email, testPassword));
    person = await createTestPerson(stack.url);
    await attack(person.email);
    expect((await logIn(person.email, testPassword, { cookie })).status).toBe(429);
    expect((await logIn(stranger.email, testPassword, { cookie })).status).toBe(200);
  });
});
