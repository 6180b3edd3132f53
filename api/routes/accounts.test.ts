import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createKeyVault } from '../../core/crypto/project-keys.ts';
import type { TestAnswer } from '../../test/setup/answer.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { fileFixture } from '../../test/setup/fixtures.ts';
import { startTestApi, type TestApi, type TestRequest } from '../../test/setup/start-test-api.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { Route } from '../edge/route.ts';
import { createAccountsService } from '../services/accounts.ts';
import { createOneTimeLinks } from '../services/one-time-links.ts';
import { createPasswords } from '../services/passwords.ts';
import { createProjectsService } from '../services/projects.ts';
import type { Services } from '../services/services.ts';
import { createSessionsService } from '../services/sessions.ts';
import { createSignInGuard } from '../services/sign-in-guard.ts';
import { logIn, logOut, signUp } from './auth.ts';
import { createProject, listProjects, regenerateKeys } from './projects.ts';
import { currentUser } from './users.ts';

const ping = defineRoute('GET /ping', {
  auth: 'secretKey',
  tags: ['Test'],
  summary: 'Ping',
  responses: { 200: { description: 'Pong', schema: z.object({ projectId: z.string() }) } },
  async handler(ctx) {
    const { project } = ctx.state;
    ctx.body = { projectId: project.id };
  },
});
const routes: Route[] = [
  signUp,
  logIn,
  logOut,
  currentUser,
  listProjects,
  createProject,
  regenerateKeys,
  ping,
];

const database = useTestDatabase();
const { sql } = database;
const useApi = () =>
  fileFixture(
    () => startApi(),
    ({ close }) => close(),
  );
const api = useApi();
/** Another process on the same database. */
const second = useApi();

function startApi(environment: Record<string, string> = {}): Promise<TestApi> {
  const { orm } = database;
  return startTestApi<Pick<Services, 'accounts' | 'projects' | 'sessions'>>({
    database,
    routes,
    environment: { AUTH_RATE_LIMIT_PER_MINUTE: '0', ...environment },
    services: (edge, config) => {
      const guard = createSignInGuard({ orm, key: Buffer.alloc(32), limit: 0 });
      const sessions = createSessionsService({ orm, tokens: edge.sessions, guard });
      return {
        sessions,
        accounts: createAccountsService({
          orm,
          sessions,
          passwords: createPasswords(),
          oneTimeLinks: createOneTimeLinks({
            from: null,
            siteUrl: '',
            tokenKey: Buffer.alloc(32),
            linkKey: Buffer.alloc(32),
          }),
          guard,
          accountLinks: {
            useSignIn: () => Promise.reject(new Error('not part of these tests')),
          },
          linkRequests: { promiseVerification: () => undefined, promised: () => undefined },
          signupEnabled: config.SIGNUP_ENABLED,
        }),
        projects: createProjectsService({
          orm,
          vault: createKeyVault(config.APP_SECRET),
          projectKeys: edge.projectKeys,
          projectsPerUser: config.PROJECTS_PER_USER,
        }),
      };
    },
  });
}

const password = 'a long pass phrase';
const dayMs = 24 * 60 * 60 * 1000;

function cookieOf(answer: TestAnswer): string {
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function newUser(
  email: string,
): Promise<{ id: string; call: (path: string, request?: TestRequest) => Promise<TestAnswer> }> {
  const answer = await api.request('/auth/signup', { body: { email, password } });
  expect(answer.status).toBe(201);
  const headers = { Cookie: cookieOf(answer), Origin: api.url };
  return { id: answer.body.user.id, call: (path, request) => api.request(path, { ...request, headers }) };
}

describe('sign-up', () => {
  it('creates the user and signs in', async () => {
    const answer = await api.request('/auth/signup', {
      body: { email: ' Ada@Example.com ', password, name: 'Ada' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      user: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email: 'ada@example.com',
        name: 'Ada',
        emailVerified: false,
        createdAt: expect.stringMatching(/\.\d{3}Z$/),
      },
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^token=[\w.-]+; path=\/; expires=.+ GMT; samesite=lax; httponly$/),
      expect.stringMatching(/^device=/),
    ]);
    const expiresAt = Date.parse(/expires=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '');
    expect((expiresAt - Date.now()) / dayMs).toBeCloseTo(30, 2);
    const me = await api.request('/users/@me', { headers: { Cookie: cookieOf(answer) } });
    expect([me.status, me.body]).toEqual([200, answer.body.user]);
    const [stored] = await sql<{ hash: string }>('select password_hash as hash from users where id = $1', [
      answer.body.user.id,
    ]);
    expect(stored?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('refuses an address that is taken, in upper or lower case', async () => {
    await newUser('taken@example.com');
    const { status, body, headers } = await api.request('/auth/signup', {
      body: { email: 'TAKEN@example.com', password },
    });
    expect([status, body.error.code, headers.getSetCookie()]).toEqual([409, 'CONFLICT', []]);
  });

  it.each([
    [{ email: 'x', password }, 'email'],
    [{ email: 'b@example.com', password: 'x'.repeat(9) }, 'password'],
    [{ email: 'b@example.com', password: 'x'.repeat(257) }, 'password'],
    [{ email: 'b@example.com' }, 'password'],
  ])('refuses %j', async (body, field) => {
    const answer = await api.request('/auth/signup', { body });
    expect([answer.status, answer.body.error.errors.map((issue: { field: string }) => issue.field)]).toEqual([
      422,
      [field],
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('xxxxxxxxx');
  });

  it('sets a cookie that only travels over https when the API is there', async () => {
    const secure = await startApi({ API_URL: 'https://api.example.com' });
    const { headers } = await secure.request('/auth/signup', {
      body: { email: 'https@example.com', password },
    });
    expect(headers.getSetCookie()[0]).toContain('; secure');
    await secure.close();
  });
});

describe('sign-in', () => {
  it('takes the password and sets the cookie', async () => {
    const { id } = await newUser('login@example.com');
    const answer = await api.request('/auth/login', { body: { email: 'Login@example.com', password } });
    expect([answer.status, answer.body.user.id]).toEqual([200, id]);
    expect((await api.request('/users/@me', { headers: { Cookie: cookieOf(answer) } })).status).toBe(200);
  });

  it('answers the same for a wrong password and an unknown address', async () => {
    await newUser('known@example.com');
    const ask = async (email: string) => {
      const { status, body } = await api.request('/auth/login', {
        body: { email, password: 'not the password' },
      });
      const { requestId, ...error } = body.error;
      return { status, error };
    };
    const known = await ask('known@example.com');
    expect(known.status).toBe(401);
    expect(known.error.code).toBe('UNAUTHENTICATED');
    expect(await ask('unknown@example.com')).toEqual(known);
  });

  it('takes as long for an unknown address as for a wrong password', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash(password);
    // Processor time rather than time: other work on the machine does not count.
    const costOf = async (candidate: string | undefined) => {
      const before = process.cpuUsage();
      expect(await passwords.matches(candidate, 'not the password')).toBe(false);
      return process.cpuUsage(before).user;
    };
    let [known, unknown] = [0, 0];
    await passwords.matches(undefined, password);
    for (let round = 0; round < 20; round += 1) {
      known += await costOf(hash);
      unknown += await costOf(undefined);
    }
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  it('ends with sign-out, and for good when the sessions are revoked', async () => {
    const user = await newUser('revoked@example.com');
    const out = await api.request('/auth/logout');
    expect([out.status, out.headers.getSetCookie()[0]]).toEqual([
      204,
      'token=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT; samesite=lax; httponly',
    ]);
    expect((await user.call('/users/@me')).status).toBe(200);
    await sql('update users set session_version = 2 where id = $1', [user.id]);
    expect((await user.call('/users/@me')).status).toBe(401);
  });
});

describe('projects', () => {
  it('are created with both keys, which work', async () => {
    const user = await newUser('projects@example.com');
    const created = await user.call('/users/@me/projects', { body: { name: ' Shop ' } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      name: 'Shop',
      role: 'OWNER',
      publicKey: expect.stringMatching(/^pk_\w{40}$/),
      secretKey: expect.stringMatching(/^sk_\w{40}$/),
      disabled: false,
      disabledReason: null,
      suppressTransactional: false,
      brandColor: null,
      logoUrl: null,
      footerAddress: null,
      language: 'en',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await user.call('/users/@me/projects')).body).toEqual({ data: [created.body] });
    const { body } = await api.request('/ping', { key: created.body.secretKey });
    expect(body).toEqual({ projectId: created.body.id });
  });

  it('show no key in the database', async () => {
    const user = await newUser('at-rest@example.com');
    const { body } = await user.call('/users/@me/projects', { body: { name: 'Shop' } });
    const [row] = await sql<{ text: string }>(
      `select encode(public_key_hash || public_key_encrypted || secret_key_hash || secret_key_encrypted, 'escape')
           as text
         from projects where id = $1`,
      [body.id],
    );
    expect(row?.text).not.toContain(body.secretKey.slice(3));
    expect(row?.text).not.toContain(body.publicKey.slice(3));
  });

  it('show the secret key to owners and admins only', async () => {
    const [owner, colleague] = [await newUser('owner@example.com'), await newUser('colleague@example.com')];
    const { body: project } = await owner.call('/users/@me/projects', { body: { name: 'Shop' } });
    const join = (role: string) =>
      sql(
        `insert into memberships (project_id, user_id, role) values ($1, $2, $3)
         on conflict (project_id, user_id) do update set role = excluded.role`,
        [project.id, colleague.id, role],
      );
    await join('MEMBER');
    const [asMember] = (await colleague.call('/users/@me/projects')).body.data;
    expect(asMember).toMatchObject({ role: 'MEMBER', publicKey: project.publicKey });
    expect(asMember).not.toHaveProperty('secretKey');
    const path = `/users/@me/projects/${project.id}/regenerate-keys`;
    expect((await colleague.call(path, { method: 'POST' })).status).toBe(403);
    await join('ADMIN');
    const [asAdmin] = (await colleague.call('/users/@me/projects')).body.data;
    expect(asAdmin.secretKey).toBe(project.secretKey);
    expect((await colleague.call(path, { method: 'POST' })).status).toBe(200);
  });

  it('of others do not exist', async () => {
    const [owner, stranger] = [await newUser('owner2@example.com'), await newUser('stranger@example.com')];
    const { body: project } = await owner.call('/users/@me/projects', { body: { name: 'Shop' } });
    const { status } = await stranger.call(`/users/@me/projects/${project.id}/regenerate-keys`, {
      method: 'POST',
    });
    expect(status).toBe(404);
    expect((await stranger.call('/users/@me/projects/x/regenerate-keys', { method: 'POST' })).status).toBe(
      422,
    );
    expect((await api.request('/ping', { key: project.secretKey })).status).toBe(200);
  });

  it('get new keys, and the old ones stop working at once in every process', async () => {
    const user = await newUser('rotate@example.com');
    const { body: project } = await user.call('/users/@me/projects', { body: { name: 'Shop' } });
    // Stops the clock, so that the cache does not expire, which would also reveal the change.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    for (const each of [api, second]) {
      expect((await each.request('/ping', { key: project.secretKey })).status).toBe(200);
    }
    const path = `/users/@me/projects/${project.id}/regenerate-keys`;
    const { status, body: keys } = await user.call(path, { method: 'POST' });
    expect([status, Object.keys(keys)]).toEqual([200, ['publicKey', 'secretKey']]);
    expect((await api.request('/ping', { key: project.secretKey })).status).toBe(401);
    await expect
      .poll(async () => (await second.request('/ping', { key: project.secretKey })).status, {
        timeout: 90_000,
        interval: 100,
      })
      .toBe(401);
    for (const each of [api, second]) {
      expect((await each.request('/ping', { key: keys.secretKey })).status).toBe(200);
    }
    expect((await user.call('/users/@me/projects')).body.data[0]).toMatchObject(keys);
  });
});
