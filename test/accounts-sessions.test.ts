import { describe, expect, it } from 'vitest';
import { createSessionTokens } from '../api/access/session-tokens.ts';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { testFixture } from './setup/fixtures.ts';
import {
  callApi,
  createTestPerson,
  personOf,
  sessionOf,
  type TestPerson,
  testPassword,
} from './setup/people.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1';

const stack = useSharedProduct();
const person = testFixture(() => createTestPerson(stack.url));

/** Signs the same user in again. */
async function signIn(userAgent?: string): Promise<TestPerson> {
  const body = { email: person.email, password: testPassword };
  const headers: Record<string, string> = userAgent === undefined ? {} : { 'User-Agent': userAgent };
  const answer = await callApi(stack.url, 'POST', '/auth/login', body, headers);
  return personOf(stack.url, person, sessionOf(answer));
}

interface Listed {
  id: string;
  current: boolean;
}
const list = async (who: TestPerson): Promise<Listed[]> =>
  (await who.call('GET', '/auth/sessions')).body.data;
const idOf = async (who: TestPerson) => (await list(who)).find(({ current }) => current)?.id ?? '';
const statusOf = async (who: TestPerson) => (await who.call('GET', '/users/@me')).status;

/** A token as issued before sessions were recorded. */
function withOldToken(): TestPerson {
  const tokens = createSessionTokens(deriveKey(stack.environment.APP_SECRET ?? '', 'session'));
  return personOf(stack.url, person, `token=${tokens.signIn({ userId: person.id, sessionVersion: 1 })}`);
}

describe('sessions', () => {
  it('are listed with browser and system, newest first, with the current one marked', async () => {
    await signIn(safari);
    const second = await signIn(firefox);
    const { status, body } = await second.call('GET', '/auth/sessions');
    const times = { createdAt: expect.any(String), lastUsedAt: expect.any(String) };
    expect([status, body.data]).toEqual([
      200,
      [
        { id: expect.any(String), browser: 'Firefox', system: 'Linux', ...times, current: true },
        { id: expect.any(String), browser: 'Safari', system: 'iPhone', ...times, current: false },
        { id: expect.any(String), browser: null, system: null, ...times, current: false },
      ],
    ]);
    expect((await list(person)).map(({ current }) => current)).toEqual([false, false, true]);
  });

  it('record their use at most once every ten minutes', async () => {
    const id = await idOf(person);
    const readUse = async () =>
      (
        await stack.sql<{ last_used_at: Date; xmin: string }>(
          `select last_used_at, xmin from sessions where id = $1`,
          [id],
        )
      )[0];
    const before = await readUse();
    expect(await statusOf(person)).toBe(200);
    expect(await readUse()).toEqual(before);
    await stack.sql(`update sessions set last_used_at = now() - interval '11 minutes' where id = $1`, [id]);
    expect(await Promise.all(Array.from({ length: 5 }, () => statusOf(person)))).toEqual(Array(5).fill(200));
    const after = await readUse();
    expect(after?.last_used_at.getTime()).toBeGreaterThanOrEqual(before?.last_used_at.getTime() ?? Infinity);
    expect(await statusOf(person)).toBe(200);
    expect(await readUse()).toEqual(after);
  });

  it('end one by one, at once, and only those of the user', async () => {
    const second = await signIn();
    const id = await idOf(second);
    const stranger = await createTestPerson(stack.url);
    expect((await stranger.call('DELETE', `/auth/sessions/${id}`)).status).toBe(404);
    expect(await statusOf(second)).toBe(200);

    const ended = await person.call('DELETE', `/auth/sessions/${id}`);
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([204, []]);
    expect([await statusOf(second), await statusOf(person)]).toEqual([401, 200]);
    expect((await person.call('DELETE', `/auth/sessions/${id}`)).status).toBe(404);

    const own = await person.call('DELETE', `/auth/sessions/${await idOf(person)}`);
    expect(own.headers.getSetCookie()[0]).toMatch(/^token=; /);
    expect(await statusOf(person)).toBe(401);
  });

  it('end everywhere else, including tokens from before sessions were recorded', async () => {
    const [second, old] = [await signIn(), withOldToken()];
    expect([await statusOf(second), await statusOf(old)]).toEqual([200, 200]);
    const ended = await person.call('DELETE', '/auth/sessions');
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([204, []]);
    expect([await statusOf(person), await statusOf(second), await statusOf(old)]).toEqual([200, 401, 401]);
    expect(await list(person)).toHaveLength(1);
    expect(await statusOf(await signIn())).toBe(200);
  });

  it('from before they were recorded keep working, and end the others with a new token', async () => {
    const old = withOldToken();
    expect(await list(old)).toMatchObject([{ current: false }]);
    const ended = await old.call('DELETE', '/auth/sessions');
    const renewed = personOf(stack.url, person, sessionOf(ended));
    expect([await statusOf(person), await statusOf(old), await statusOf(renewed)]).toEqual([401, 401, 200]);
    expect(await list(renewed)).toMatchObject([{ current: true }]);
  });

  it('leave one when two browsers end the others at once', async () => {
    const second = await signIn();
    const answers = await Promise.all([person, second].map((who) => who.call('DELETE', '/auth/sessions')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401]);
    expect([await statusOf(person), await statusOf(second)].toSorted()).toEqual([200, 401]);
  });

  it('end with sign-out, and are not listed after a new password', async () => {
    const second = await signIn();
    expect((await second.call('GET', '/auth/logout')).status).toBe(204);
    expect(await statusOf(second)).toBe(401);
    expect(await list(person)).toHaveLength(1);
    await stack.sql('update users set session_version = 2 where id = $1', [person.id]);
    expect(await statusOf(person)).toBe(401);
    expect(await list(await signIn())).toHaveLength(1);
  });
});
