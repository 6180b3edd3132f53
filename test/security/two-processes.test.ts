import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../db/testing/sql.ts';
import type { TestAnswer } from '../setup/answer.ts';
import { eventually } from '../setup/eventually.ts';
import { callApi, createOwnProject, createTestPerson, testPassword } from '../setup/people.ts';
import { startAnotherApi } from '../setup/processes.ts';
import { useSharedProduct } from '../setup/shared-product.ts';

const limit = 200;
const stack = useSharedProduct();
let processes: Awaited<ReturnType<typeof startApi>>[];

const startApi = () =>
  startAnotherApi(stack, {
    LOG_LEVEL: 'trace',
    API_RATE_LIMIT_PER_MINUTE: String(limit),
    AUTH_RATE_LIMIT_PER_MINUTE: '0',
    ACCOUNT_EMAIL_FROM: 'service@example.com',
  });

beforeAll(async () => {
  processes = await Promise.all([startApi(), startApi()]);
});
afterAll(async () => {
  await Promise.all(processes.map(({ stop }) => stop()));
});

const urlOf = (index: number) => processes[index % processes.length]?.url ?? '';

async function createProject() {
  const project = await createOwnProject(await createTestPerson(stack.url));
  await stack.sql(
    `insert into domains (id, project_id, domain, status) values (uuidv7(), $1, $2, 'verified')`,
    [project.id, `${project.id}.example`],
  );
  const body = {
    to: 'ada@example.com',
    from: `hello@${project.id}.example`,
    subject: 'Hello',
    body: '<p>Hi</p>',
  };
  const call = (
    index: number,
    method: string,
    path: string,
    sent?: unknown,
    headers?: Record<string, string>,
  ) =>
    callApi(urlOf(index), method, path, sent, { Authorization: `Bearer ${project.secretKey}`, ...headers });
  const send = (index: number, key: string) =>
    call(index, 'POST', '/v1/send', body, { 'Idempotency-Key': key });
  return { ...project, call, send };
}

const emailsOf = async (projectId: string) => {
  const [row] = await stack.sql<{ emails: number }>(
    'select count(*)::int as emails from emails where project_id = $1',
    [projectId],
  );
  return row?.emails;
};

it('the rate limit of a project counts across two API processes', async () => {
  const project = await createProject();
  const ask = (index: number) => project.call(index, 'GET', '/segments');
  const resetOf = (answer: TestAnswer) => Number(answer.headers.get('RateLimit-Reset'));
  const resetsOf = (all: TestAnswer[]) => all.map(resetOf);
  // Everything has to happen in one minute of the limit. If that minute ended meanwhile, the reset time has moved.
  const { answers } = await eventually(
    async () => {
      const { reset } = await eventually(
        async () => ({ reset: resetOf(await ask(0)) }),
        (first) => first.reset > 30,
      );
      const found = await Promise.all(Array.from({ length: 2 * limit }, (_, index) => ask(index)));
      return { answers: found, isOneMinute: Math.max(...resetsOf(found)) <= reset };
    },
    ({ isOneMinute }) => isOneMinute,
  );
  const passed = answers.filter(({ status }) => status === 200).length;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  // The first calls fell into the same minute.
  expect(passed).toBeLessThan(limit);
  expect(passed).toBeGreaterThan(limit / 2);
  for (const answer of answers.filter(({ status }) => status === 429)) {
    expect(answer.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
});

it('a session that ends is refused by the other process at once', async () => {
  const person = await createTestPerson(stack.url);
  const as = (index: number, method: string, path: string) =>
    callApi(urlOf(index), method, path, undefined, { Cookie: person.cookie, Origin: urlOf(index) });
  expect((await as(1, 'GET', '/users/@me')).status).toBe(200);
  const [{ id }] = (await as(0, 'GET', '/auth/sessions')).body.data;
  expect((await as(0, 'DELETE', `/auth/sessions/${id}`)).status).toBe(204);
  expect((await as(1, 'GET', '/users/@me')).status).toBe(401);
});

it('an Idempotency-Key lets one of 50 equal requests over two processes through', async () => {
  const project = await createProject();
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => project.send(index, key)));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, ...Array(49).fill(409)]);
  expect(await emailsOf(project.id)).toBe(1);
  const repeat = await project.send(1, key);
  expect([repeat.status, repeat.body.error.code, repeat.body.error.details]).toEqual([
    409,
    'IDEMPOTENCY_KEY_REUSED',
    {
      key,
      originalRequest: 'POST /v1/send',
      originalRequestTime: expect.any(String),
      originalStatusCode: 200,
    },
  ]);
});

it('an Idempotency-Key is kept when its process dies during the request', async () => {
  const dying = await startApi();
  processes.push(dying);
  const project = await createProject();
  const key = randomUUID();
  const blocked = stack.em();
  await blocked.begin();
  // The email cannot be written, so the request is still in progress when its process dies.
  await sql(blocked, 'lock table emails in access exclusive mode');
  const lost = project.send(processes.length - 1, key).catch((error: unknown) => error);
  await eventually(
    () => stack.sql('select 1 from idempotency_keys where project_id = $1', [project.id]),
    (rows) => rows.length === 1,
  );
  await dying.kill();
  processes.pop();
  await blocked.rollback();
  expect(await lost).toBeInstanceOf(Error);
  for (const index of [0, 1]) {
    const repeat = await project.send(index, key);
    expect([repeat.status, repeat.body.error.details.originalStatusCode]).toEqual([409, null]);
  }
});

it('secrets appear in no log line at the most verbose level, in no error and not in /config', async () => {
  const project = await createProject();
  const email = `${randomUUID()}@example.com`;
  const answers: TestAnswer[] = [];
  const ask = async (
    ...[method, path, body, headers]: [string, string, unknown?, Record<string, string>?]
  ) => {
    const answer = await callApi(urlOf(answers.length), method, path, body, headers);
    answers.push(answer);
    return answer;
  };
  const signedUp = await ask('POST', '/auth/signup', { email, password: testPassword });
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const wrong = 'a pass phrase that is wrong';
  const token = 'a-token-that-somebody-guessed-and-that-is-long';
  const unknownKey = `sk_${'q'.repeat(40)}`;
  await ask('POST', '/auth/login', { email, password: wrong });
  await ask('POST', '/auth/reset-password', { token, password: 'a new pass phrase' });
  await ask('GET', `/reset-password?token=${token}`);
  await ask('GET', '/users/@me', undefined, { Cookie: cookie });
  await ask('GET', '/contacts', undefined, { Authorization: `Bearer ${unknownKey}` });
  await ask('GET', '/contacts', undefined, { Authorization: `Bearer ${project.secretKey}` });
  await ask('GET', '/config');
  // An error whose cause contains the statement and its values.
  const broken = stack.em();
  await sql(broken, 'alter table contacts rename to contacts_away');
  const failed = await ask(
    'POST',
    '/contacts',
    { email, data: { card: token } },
    {
      Authorization: `Bearer ${project.secretKey}`,
    },
  );
  await sql(broken, 'alter table contacts_away rename to contacts');
  expect([failed.status, failed.body.error.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);

  const id = failed.headers.get('X-Request-Id') ?? 'none';
  const log = await eventually(
    async () => processes.map(({ output }) => output).join('\n'),
    (text) => text.includes(id),
  );
  const database = new URL(stack.environment.DATABASE_URL ?? '');
  const secrets = {
    password: testPassword,
    wrong,
    token,
    cookie: cookie.slice('token='.length),
    unknownKey,
    secretKey: project.secretKey,
    appSecret: stack.environment.APP_SECRET ?? '',
    databasePassword: `:${database.password}@`,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length).toBeGreaterThan(4);
    expect([name, log.includes(secret)]).toEqual([name, false]);
  }
  const said = answers
    .slice(1)
    .map(({ body }) => JSON.stringify(body))
    .join('\n');
  for (const [name, secret] of Object.entries({ ...secrets, token: `"${token}"` })) {
    expect([name, said.includes(secret)]).toEqual([name, false]);
  }
  expect(said).not.toMatch(/contacts_away|select |insert |node_modules/);
});
