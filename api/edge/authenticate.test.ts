import { setTimeout as delay } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import { sql } from '../../db/testing/sql.ts';
import { fileFixture } from '../../test/setup/fixtures.ts';
import { createTestProject, useTestApi } from '../../test/setup/start-test-api.ts';
import { defineRoute } from './define-route.ts';
import type { AuthKind } from './route.ts';

const who = z.object({
  projectId: z.string().nullable(),
  userId: z.string().nullable(),
  role: z.string().nullable(),
});

function route(method: 'GET' | 'POST', auth: AuthKind) {
  return defineRoute(`${method} /${auth}`, {
    auth,
    tags: ['Test'],
    summary: 'Who is it',
    responses: { 200: { description: 'Who', schema: who } },
    async handler(ctx) {
      const { project, user } = ctx.state;
      ctx.body = { projectId: project?.id ?? null, userId: user?.id ?? null, role: user?.role ?? null };
    },
  });
}
const kinds = ['secretKey', 'publicKey', 'user', 'userOrSecretKey', 'none'] as const;
const routes = kinds.flatMap((kind) => [route('GET', kind), route('POST', kind)]);

const { api, database, project } = useTestApi({
  routes,
  services: null,
  environment: { DASHBOARD_URL: 'https://app.example' },
});
const { em } = database;
const other = fileFixture(() => createTestProject(database));
const userId = uuidv7();
let cookie: string;

beforeAll(async () => {
  await database.sql(`insert into users (id, email, password_hash) values ($1, 'ada@example.com', 'x')`, [
    userId,
  ]);
  await database.sql(`insert into memberships (project_id, user_id, role) values ($1, $2, 'MEMBER')`, [
    project.id,
    userId,
  ]);
  cookie = `token=${api.edge.sessions.signIn({ userId, sessionVersion: 1 })}`;
});

async function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const { status, body } = await api.request(path, { method, headers });
  return { status, code: body.error?.code, message: body.error?.message, who: body };
}
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

describe('API keys', () => {
  it('name the project they belong to', async () => {
    const secret = await ask('/secretKey', bearer(project.secretKey));
    expect(secret.who).toEqual({ projectId: project.id, userId: null, role: null });
    const lower = await ask('/publicKey', { authorization: `bearer   ${other.publicKey}` });
    expect(lower.who.projectId).toBe(other.id);
  });

  it('of the wrong kind are refused with the kind that is needed', async () => {
    const pk = await ask('/secretKey', bearer(project.publicKey));
    expect([pk.status, pk.code, pk.message]).toEqual([
      401,
      'INVALID_API_KEY',
      expect.stringContaining('requires a secret key'),
    ]);
    const sk = await ask('/publicKey', bearer(project.secretKey));
    expect([sk.status, sk.code, sk.message]).toEqual([
      401,
      'INVALID_API_KEY',
      expect.stringContaining('requires a public key'),
    ]);
  });

  it.each(['sk_unknown', 'nonsense', `sk_${'x'.repeat(500)}`])(
    'that do not exist are refused: %s',
    async (key) => {
      const { status, code } = await ask('/secretKey', bearer(key));
      expect([status, code]).toEqual([401, 'INVALID_API_KEY']);
    },
  );

  it.each([undefined, 'Bearer', 'Basic abc', 'Bearer a b'])(
    'that are missing are refused: %s',
    async (authorization) => {
      const { status, code } = await ask('/secretKey', authorization === undefined ? {} : { authorization });
      expect([status, code]).toEqual([401, 'MISSING_API_KEY']);
    },
  );

  it('are requested by the scheme that clients expect', async () => {
    const challengeOf = async (headers: Record<string, string>, path = '/secretKey') =>
      (await api.request(path, { headers })).headers.get('WWW-Authenticate');
    expect(await challengeOf({})).toBe('Bearer');
    expect(await challengeOf(bearer('sk_unknown'))).toBe('Bearer error="invalid_token"');
    expect(await challengeOf({}, '/user')).toBeNull();
    expect(await challengeOf(bearer(project.secretKey))).toBeNull();
  });

  it('are not accepted where the session cookie is required', async () => {
    const { status, code } = await ask('/user', bearer(project.secretKey));
    expect([status, code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('or the cookie alone are accepted where a route says so', async () => {
    expect((await ask('/userOrSecretKey', bearer(project.secretKey))).who.projectId).toBe(project.id);
    expect((await ask('/userOrSecretKey', { cookie })).who.userId).toBe(userId);
  });
});

describe('the session cookie', () => {
  it('opens what belongs to the user', async () => {
    expect((await ask('/user', { cookie })).who).toEqual({ projectId: null, userId, role: null });
    expect((await ask('/user', { cookie: `a=b; ${cookie}; c` })).status).toBe(200);
    for (const nothing of ['token', 'token=', 'other=1', 'token=;']) {
      expect((await ask('/user', { cookie: nothing })).code).toBe('UNAUTHENTICATED');
    }
    expect((await ask('/user', {})).code).toBe('UNAUTHENTICATED');
  });

  it('with X-Project-Id opens a project of the user as a secret key does', async () => {
    for (const id of [project.id, project.id.toUpperCase()]) {
      const { who: seen } = await ask('/secretKey', { cookie, 'X-Project-Id': id });
      expect(seen).toEqual({ projectId: project.id, userId, role: 'MEMBER' });
    }
  });

  it("does not open others' projects: they do not exist", async () => {
    for (const id of [other.id, uuidv7(), 'no-uuid', '']) {
      const { status, code } = await ask('/secretKey', { cookie, 'X-Project-Id': id });
      expect([id, status, code]).toEqual([id, 404, 'NOT_FOUND']);
    }
  });

  it('does not open public-key routes, nor a project that is not named', async () => {
    expect((await ask('/publicKey', { cookie, 'X-Project-Id': project.id })).code).toBe('MISSING_API_KEY');
    expect((await ask('/secretKey', { cookie })).code).toBe('MISSING_API_KEY');
  });

  it.each([
    ['of another key', () => sign(deriveKey('another secret of more than 32 chars', 'session'), {})],
    ['that is over', () => sign(sessionKey(), { expiresIn: -1 })],
    ['of no user', () => sign(sessionKey(), { subject: uuidv7() })],
    ['that was revoked', () => sign(sessionKey(), { version: 0 })],
    ['with a subject that is not an id', () => sign(sessionKey(), { subject: 'x' })],
    [
      'that nobody signed',
      async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ sub: userId, ver: 1 }))}.`,
    ],
  ])('%s is worth nothing', async (_name, make) => {
    const { status, code } = await ask('/user', { cookie: `token=${await make()}` });
    expect([status, code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it.each([
    [undefined, 403],
    ['null', 403],
    ['https://evil.example', 403],
    ['https://app.example.evil.example', 403],
    ['http://127.0.0.1:8080', 200],
    ['https://app.example', 200],
  ])('allows changes only for an Origin of this site: %s → %i', async (origin, expected) => {
    const headers = { cookie, ...(origin === undefined ? {} : { origin }) };
    expect((await ask('/user', headers, 'POST')).status).toBe(expected);
    expect((await ask('/secretKey', { ...headers, 'X-Project-Id': project.id }, 'POST')).status).toBe(
      expected,
    );
    expect((await ask('/user', headers, 'GET')).status).toBe(200);
  });

  it('is found beside one of the same name from a site on a parent domain', async () => {
    const both = { cookie: `token=theirs; ${cookie}; token=` };
    expect((await ask('/user', both)).who.userId).toBe(userId);
    const inProject = await ask('/secretKey', { ...both, 'X-Project-Id': project.id });
    expect(inProject.who.projectId).toBe(project.id);
  });

  it('treats the requested host as this site', async () => {
    expect((await ask('/user', { cookie, origin: api.url }, 'POST')).status).toBe(200);
  });

  it('is not needed to refuse a foreign page on open endpoints', async () => {
    expect((await ask('/none', { origin: 'https://evil.example' }, 'POST')).status).toBe(403);
    expect((await ask('/none', {}, 'POST')).status).toBe(200);
  });
});

describe('a key that was rotated in another process', () => {
  // Stops the clock, so that the cache does not expire, which would also reveal the change.
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(performance.now()));
  afterEach(() => void vi.restoreAllMocks());

  it('is refused here as soon as the notification arrives', async () => {
    const rotated = await createTestProject(database);
    expect((await ask('/secretKey', bearer(rotated.secretKey))).status).toBe(200);
    await sql(
      em(),
      `with changed as (update projects set secret_key_hash = '\\x00' where id = $1 returning id)
       select pg_notify('project_changed', id::text) from changed`,
      [rotated.id],
    );
    await expect
      .poll(async () => (await ask('/secretKey', bearer(rotated.secretKey))).code, {
        timeout: 90_000,
        interval: 100,
      })
      .toBe('INVALID_API_KEY');
  });

  it('is looked up every time while notifications are cut off, and once more when they are back', async () => {
    const rotated = await createTestProject(database);
    const isDisabled = async (disabled: boolean) =>
      sql(em(), 'update projects set disabled = $2 where id = $1', [rotated.id, disabled]);
    const disabledHere = async () => (await api.edge.projectKeys.find('secret', rotated.secretKey))?.disabled;

    await until(() => api.edge.databaseListener.isConnected);
    expect(await disabledHere()).toBe(false);
    await isDisabled(true);
    // Without a notification, the cache still has the old state.
    expect(await disabledHere()).toBe(false);

    await sql(
      em(),
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'posthaste-listen' and datname = current_database()`,
    );
    await until(() => !api.edge.databaseListener.isConnected);
    // The connection would be back in no time; the test decides when.
    const away = vi.spyOn(api.edge.databaseListener, 'isConnected', 'get').mockReturnValue(false);
    expect(await disabledHere()).toBe(true);
    await isDisabled(false);
    expect(await disabledHere()).toBe(false);
    away.mockRestore();
    await until(() => api.edge.databaseListener.isConnected);
    await isDisabled(true);
    expect(await disabledHere()).toBe(true);
  });
});

describe('a database answer from before a change', () => {
  it('is not cached after it', async () => {
    const changed = await createTestProject(database);
    await until(() => api.edge.databaseListener.isConnected);
    const find = () => api.edge.projectKeys.find('secret', changed.secretKey);
    const { promise: locked, resolve: unlock } = Promise.withResolvers<void>();
    const holding = em().transactional(async (em) => {
      await sql(em, 'lock table projects in access exclusive mode');
      await locked;
    });
    await until(async () => {
      const rows = await sql(
        em(),
        `select 1 from pg_locks where relation = 'projects'::regclass and mode = 'AccessExclusiveLock' and granted`,
      );
      return rows.length === 1;
    });
    const found = find();
    api.edge.projectKeys.forget(changed.id);
    unlock();
    await holding;
    expect((await found)?.disabled).toBe(false);
    await sql(em(), 'update projects set disabled = true where id = $1', [changed.id]);
    expect((await find())?.disabled).toBe(true);
  });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(2);
}

function sessionKey(): Buffer {
  return deriveKey(api.config.APP_SECRET, 'session');
}

function sign(key: Buffer, claims: { expiresIn?: number; subject?: string; version?: number }): string {
  return jwt.sign({ ver: claims.version ?? 1 }, key, {
    issuer: 'posthaste',
    subject: claims.subject ?? userId,
    expiresIn: claims.expiresIn ?? 3_600,
  });
}
