import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { createOrm } from '../../db/orm.ts';
import { describeDatabase } from '../../test/setup/database.ts';
import { eventually } from '../../test/setup/eventually.ts';
import { createTestProject, startTestApi, useTestApi } from '../../test/setup/start-test-api.ts';
import { defineRoute } from './define-route.ts';

interface FakeServices {
  runs: string[];
}
const runsOf = ({ services }: { services: unknown }) => (services as FakeServices).runs;
let elsewhere = Promise.withResolvers<void>();
const answer = { 200: { description: 'Done', schema: z.object({ ok: z.literal(true) }) } };

const routes = [
  defineRoute('POST /things/:id', {
    auth: 'secretKey',
    tags: ['Things'],
    summary: 'All checks',
    refuseDisabledProject: true,
    idempotent: 'byProject',
    params: z.object({ id: z.uuid() }),
    query: z.object({ page: z.coerce.number().int().min(1).default(1), tag: z.array(z.string()).optional() }),
    body: z.object({
      outcome: z.enum(['ok', 'refused', 'broken', 'busy', 'slow']),
      note: z.string().max(5).optional(),
    }),
    responses: answer,
    errors: ['CONFLICT'],
    async handler(ctx) {
      const { body, project } = ctx.state;
      runsOf(ctx).push(project.id);
      if (body.outcome === 'slow') await delay(150);
      if (body.outcome === 'refused') throw new DomainError('CONFLICT', 'No');
      if (body.outcome === 'busy') {
        throw new DomainError('SERVICE_UNAVAILABLE', 'Too much waits', { retryAfterSeconds: 2 });
      }
      if (body.outcome === 'broken') throw new Error('password=hunter2 at 10.0.0.1');
      ctx.body = { ok: true };
    },
  }),
  defineRoute('GET /echo/:name', {
    auth: 'none',
    tags: ['Things'],
    summary: 'Says what it got',
    params: z.object({ name: z.string() }),
    query: z.looseObject({}),
    responses: { 200: { description: 'Echo', schema: z.looseObject({}) } },
    async handler(ctx) {
      const { params, query } = ctx.state;
      ctx.body = { ...params, query, address: ctx.ip };
    },
  }),
  defineRoute('POST /legacy', {
    auth: 'secretKey',
    tags: ['Things'],
    summary: 'Answers 400 { error }',
    legacyErrors: true,
    body: z.object({
      name: z.string().min(1).max(5),
      email: z.email(),
      condition: z.object({ a: z.number() }),
      note: z.string().optional(),
    }),
    responses: answer,
    async handler() {
      throw new DomainError('BAD_REQUEST', 'The condition is empty');
    },
  }),
  defineRoute('POST /elsewhere', {
    auth: 'secretKey',
    tags: ['Things'],
    summary: 'Waits for something else than Postgres',
    place: 'elsewhere',
    responses: answer,
    async handler(ctx) {
      runsOf(ctx).push('elsewhere');
      await elsewhere.promise;
      ctx.body = { ok: true };
    },
  }),
  defineRoute('POST /look-up', {
    auth: 'secretKey',
    tags: ['Things'],
    summary: 'Holds no connection',
    place: 'none',
    responses: answer,
    async handler(ctx) {
      ctx.body = { ok: true };
    },
  }),
  defineRoute('GET /undeclared', {
    auth: 'none',
    tags: ['Things'],
    summary: 'Says too much',
    responses: answer,
    handler(ctx) {
      const body = { ok: true as const, passwordHash: 'secret' };
      ctx.body = body;
    },
  }),
];

const services: FakeServices = { runs: [] };
const id = '0190a1b2-0000-7000-8000-000000000000';
const things = `/things/${id}`;

const { api, database, project } = useTestApi({ routes, services });

describe('the order of checks', () => {
  const bad = { key: 'sk_unknown', headers: { 'Idempotency-Key': '' }, body: '{' };
  const badThings = '/things/no-uuid?page=0';

  it('looks at the key first', async () => {
    const answer = await api.request(badThings, bad);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'INVALID_API_KEY']);
    expect(answer.headers.get('RateLimit-Limit')).toBeNull();
  });

  it('then whether the project is disabled', async () => {
    const disabled = await createTestProject(database, { disabled: true });
    const answer = await api.request(badThings, { ...bad, key: disabled.secretKey });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'PROJECT_DISABLED']);
  });

  it('then the rate limit, which counts refusals of a disabled project too', async () => {
    const environment = { API_RATE_LIMIT_PER_MINUTE: '2' };
    const strict = await startTestApi({ database, routes, services, environment });
    const disabled = await createTestProject(database, { disabled: true });
    const answers = [];
    for (let call = 0; call < 3; call += 1) {
      answers.push(await strict.request(badThings, { ...bad, key: disabled.secretKey }));
    }
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(answers.map(({ headers }) => headers.get('RateLimit-Limit'))).toEqual(['2', '2', '2']);
    expect(answers.map(({ headers }) => headers.get('Retry-After'))).toEqual([null, null, null]);
    // The minute may have ended in between.
    const left = answers.map(({ headers }) => Number(headers.get('RateLimit-Remaining')));
    expect(left.filter((each, call) => call > 0 && each > (left[call - 1] ?? 0)).length).toBeLessThanOrEqual(
      1,
    );
    expect(Math.max(...left)).toBe(1);
    await strict.close();
  });

  it('then the form of the Idempotency-Key, the path, the query, the body', async () => {
    const ask = async (path: string, headers: Record<string, string>, body: unknown) => {
      const {
        status,
        body: sent,
        headers: received,
      } = await api.request(path, { key: project.secretKey, headers, body });
      expect(received.get('RateLimit-Limit')).toBe('1000');
      return [status, sent.error.code, sent.error.errors?.[0].field];
    };
    expect(await ask(badThings, { 'Idempotency-Key': '' }, '{')).toEqual([
      400,
      'INVALID_IDEMPOTENCY_KEY',
      undefined,
    ]);
    expect(await ask(badThings, {}, '{')).toEqual([422, 'VALIDATION_ERROR', 'id']);
    expect(await ask(`${things}?page=0`, {}, '{')).toEqual([422, 'VALIDATION_ERROR', 'page']);
    expect(await ask(things, {}, '{')).toEqual([400, 'INVALID_JSON', undefined]);
    expect(await ask(things, {}, {})).toEqual([422, 'VALIDATION_ERROR', 'outcome']);
    expect(services.runs).toEqual([]);
  });

  it('claims the Idempotency-Key only for a valid request', async () => {
    const headers = { 'Idempotency-Key': 'order of checks' };
    await api.request(things, { key: project.secretKey, headers, body: {} });
    const rows = await database.sql('select 1 from idempotency_keys where project_id = $1', [project.id]);
    expect(rows).toEqual([]);
  });
});

it('frees the Idempotency-Key when the error asks for a retry', async () => {
  const headers = { 'Idempotency-Key': 'comes again' };
  const ask = async (outcome: string) =>
    (await api.request(things, { key: project.secretKey, headers, body: { outcome } })).status;
  expect([await ask('busy'), await ask('ok'), await ask('ok')]).toEqual([503, 200, 409]);
});

describe('a write that waits elsewhere', () => {
  beforeEach(() => {
    elsewhere = Promise.withResolvers();
  });

  async function startSmall(runs: string[]) {
    const environment = { DATABASE_POOL_SIZE: '5' };
    const small = await startTestApi({ database, routes, services: { runs }, environment });
    onTestFinished(async () => {
      elsewhere.resolve();
      await small.close();
    });
    return small;
  }
  const untilBegun = (runs: string[], count: number) => eventually(async () => runs.length, count);

  it('holds up no other write of its project, even with the fewest connections', async () => {
    const runs: string[] = [];
    const small = await startSmall(runs);
    const ask = (path: string, body: object) =>
      small.request(path, { method: 'POST', key: project.secretKey, body });
    const waiting = ask('/elsewhere', {});
    await untilBegun(runs, 1);
    expect((await ask(things, { outcome: 'ok' })).status).toBe(200);
    elsewhere.resolve();
    expect((await waiting).status).toBe(200);
  });

  it('holds up no lookup, however many of its kind are under way', async () => {
    const runs: string[] = [];
    const small = await startSmall(runs);
    const ask = (path: string) => small.request(path, { method: 'POST', key: project.secretKey });
    const waiting = [ask('/elsewhere'), ask('/elsewhere')];
    await untilBegun(runs, 2);
    expect((await ask('/look-up')).status).toBe(200);
    elsewhere.resolve();
    await Promise.all(waiting);
  });

  it('does not run if its client has left before its turn', async () => {
    const runs: string[] = [];
    const small = await startSmall(runs);
    const ask = () => small.request('/elsewhere', { method: 'POST', key: project.secretKey });
    const running = [ask(), ask()];
    await untilBegun(runs, 2);
    const leaving = connect(Number(new URL(small.url).port), '127.0.0.1');
    const head = `POST /elsewhere HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${project.secretKey}\r\n`;
    await new Promise((resolve) => leaving.write(`${head}Content-Length: 0\r\n\r\n`, resolve));
    await delay(200);
    leaving.destroy();
    // The server reads what has arrived before it answers these.
    for (let n = 0; n < 3; n += 1) expect((await small.request('/echo/ada')).status).toBe(200);
    elsewhere.resolve();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(runs).toHaveLength(3);
    await eventually(
      async () => small.logLines.filter(({ status }) => status === 499),
      (lines) => lines.length === 1,
    );
  });
});

describe('validation', () => {
  it('names every fault in the envelope of the contract', async () => {
    const { status, body, headers } = await api.request(things, {
      key: project.secretKey,
      headers: { 'X-Request-Id': 'my-request.1' },
      body: { outcome: 'what', note: 'too long', more: 1 },
    });
    expect(status).toBe(422);
    expect(headers.get('X-Request-Id')).toBe('my-request.1');
    expect(body).toEqual({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message: 'Request validation failed',
        statusCode: 422,
        requestId: 'my-request.1',
        errors: [
          { field: 'outcome', message: expect.any(String), code: 'invalid_value', received: 'what' },
          { field: 'note', message: expect.any(String), code: 'too_big', received: 'too long' },
        ],
      },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('ignores unknown fields', async () => {
    const { status } = await api.request(things, {
      key: project.secretKey,
      body: { outcome: 'ok', unknown: {} },
    });
    expect(status).toBe(200);
  });

  it('refuses a body that is not an object, and treats an empty one as an empty object', async () => {
    for (const body of ['[]', '"text"', 'null', '7']) {
      const answer = await api.request(things, { key: project.secretKey, body });
      expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, '']);
    }
    const empty = await api.request(things, { key: project.secretKey, method: 'POST' });
    expect([empty.status, empty.body.error.errors[0].field]).toEqual([422, 'outcome']);
  });

  it('reads repeated query names as lists, and never a prototype', async () => {
    const { body } = await api.request('/echo/a%2Fb?x=1&x=2&y=&__proto__=1&filter%5Bdata.plan%5D=pro');
    expect(body).toMatchObject({ name: 'a/b', query: { x: ['1', '2'], y: '', 'filter[data.plan]': 'pro' } });
  });

  it('refuses NUL in the path and the query, and a path with invalid percent-encoding', async () => {
    expect((await api.request('/echo/a%00b')).status).toBe(422);
    expect((await api.request('/echo/a?x=%00')).status).toBe(422);
    const unreadable = await api.request('/echo/%ff');
    expect([unreadable.status, unreadable.body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('routes with simple errors', () => {
  const post = async (body: unknown) => {
    const answer = await api.request('/legacy', { key: project.secretKey, body });
    return { status: answer.status, body: answer.body };
  };
  const complete = { name: 'a', email: 'a@b.co', condition: { a: 1 } };

  it.each([
    [{}, 'name is required; email is required; condition is required'],
    [{ ...complete, name: '' }, 'name is required'],
    [{ ...complete, email: null }, 'email is required'],
    [{ email: 7, name: 'too long', note: 1 }, 'condition is required'],
    [complete, 'The condition is empty'],
    [[], 'The request body must be a JSON object'],
  ])('answer 400 { error } to %j', async (body, error) => {
    expect(await post(body)).toEqual({ status: 400, body: { error } });
  });

  it('answer 400 { error } to malformed JSON', async () => {
    expect(await post('{')).toEqual({ status: 400, body: { error: 'The request body is not valid JSON' } });
  });

  it('answer the envelope with 422 to a wrong type, and to null in an optional field', async () => {
    const { status, body } = await post({ name: 7, email: {}, condition: 'x', note: null });
    expect(status).toBe(422);
    expect(body.error.errors).toMatchObject([
      { field: 'name', code: 'invalid_type', received: 7 },
      { field: 'email', code: 'invalid_type' },
      { field: 'condition', code: 'invalid_type', received: 'x' },
      { field: 'note', code: 'invalid_type', received: null },
    ]);
  });

  it('answer the envelope with 422 to a wrong form or length', async () => {
    const { status, body } = await post({ ...complete, name: 'too long', email: 'x', condition: { a: 'x' } });
    expect(status).toBe(422);
    expect(body.error.errors.map((issue: { field: string }) => issue.field)).toEqual([
      'name',
      'email',
      'condition.a',
    ]);
  });
});

describe('failures', () => {
  it('hide internals, carry the request id and are logged with the stack', async () => {
    const { status, body, headers } = await api.request(things, {
      key: project.secretKey,
      body: { outcome: 'broken' },
    });
    expect([status, body.error.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(body.error.requestId).toBe(headers.get('X-Request-Id'));
    const line = api.logLines.find((each) => each.requestId === body.error.requestId);
    expect(line).toMatchObject({
      level: 50,
      route: '/things/:id',
      status: 500,
      projectId: project.id,
      err: {
        type: 'Error',
        message: 'password=hunter2 at 10.0.0.1',
        stack: expect.stringContaining('serve-routes.test.ts'),
      },
    });
  });

  it('are raised in tests by an answer with undeclared fields', async () => {
    const { status } = await api.request('/undeclared');
    expect(status).toBe(500);
    expect(JSON.stringify(api.logLines.at(-1))).toContain('does not declare');
  });
});

describe('a database that is down', () => {
  it('answers 503, and health still answers', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const orm = createOrm({ url, poolSize: 2, warn: () => undefined });
    const lost = await startTestApi({ database: describeDatabase(url, orm), routes, services });
    const { status, body } = await lost.request(things, { key: project.secretKey, body: { outcome: 'ok' } });
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
    expect((await lost.request('/ready')).status).toBe(503);
    expect((await lost.request('/health')).status).toBe(200);
    await lost.close();
    await orm.close();
  });
});

describe('the request log', () => {
  it('has one line per request, without bodies, keys, cookies, paths or queries', async () => {
    const marker = 'marker-8f2c';
    await api.request(`/echo/${marker}?secret=${marker}`, {
      method: 'GET',
      key: `sk_${marker}`,
      headers: { Cookie: `token=${marker}`, 'X-Request-Id': 'log-test' },
    });
    const lines = api.logLines.filter((line) => line.requestId === 'log-test');
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        route: '/echo/:name',
        status: 200,
        projectId: null,
        ms: expect.any(Number),
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain(marker);
  });
});

describe('request ids', () => {
  it.each([
    ['a', true],
    ['A_z-0.9', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['with space', false],
    ['{"a":1}', false],
    ['ü', false],
  ])('of a client: %s is kept: %s', async (sent, isKept) => {
    const { headers } = await api.request('/health', {
      headers: { 'X-Request-Id': sent },
    });
    const received = headers.get('X-Request-Id') ?? '';
    if (isKept) expect(received).toBe(sent);
    else expect(received).toMatch(/^[0-9a-f-]{36}$/);
  });
});
