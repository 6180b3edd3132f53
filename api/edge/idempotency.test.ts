import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { createTestProject, useTestApi } from '../../test/setup/start-test-api.ts';
import { defineRoute } from './define-route.ts';

interface FakeServices {
  runs: number;
  /** Holds requests with the outcome `slow` until the test releases them. */
  gate: Promise<void>;
}

function route(path: `/${string}`) {
  return defineRoute(`POST ${path}`, {
    auth: 'secretKey',
    idempotent: 'byProject',
    tags: ['Test'],
    summary: 'Once',
    body: z.object({ outcome: z.enum(['ok', 'refused', 'broken', 'slow', 'locked', 'cut off']) }),
    responses: { 200: { description: 'Ran', schema: z.object({}) } },
    async handler(ctx) {
      const { body } = ctx.state;
      services.runs += 1;
      if (body.outcome === 'slow') await services.gate;
      if (body.outcome === 'refused') throw new DomainError('CONFLICT', 'No');
      if (body.outcome === 'broken') throw new Error('Broken');
      if (body.outcome === 'locked') await database.sql('do $$ begin raise lock_not_available; end $$');
      if (body.outcome === 'cut off') throw new Error('Connection terminated unexpectedly');
      ctx.body = {};
    },
  });
}

const services: FakeServices = { runs: 0, gate: Promise.resolve() };

const recordId = uuidv7();

/** Creates a record and answers with it, or with it as `data`. */
function creatingRoute(path: `/${string}`, answer: Record<string, unknown>) {
  return defineRoute(`POST ${path}`, {
    auth: 'secretKey',
    idempotent: 'byPath',
    tags: ['Test'],
    summary: 'Create',
    ...(path.includes('/:id/') && { params: z.object({ id: z.uuid() }) }),
    responses: { 201: { description: 'Created', schema: z.object({}).loose() } },
    handler(ctx) {
      services.runs += 1;
      ctx.body = answer;
    },
  });
}

const { api, database, project } = useTestApi({
  routes: [
    route('/send'),
    route('/track'),
    creatingRoute('/templates', { id: recordId }),
    creatingRoute('/campaigns', { data: { id: recordId } }),
    creatingRoute('/tests', { data: [] }),
    creatingRoute('/tests/:id/duplicate', { id: recordId }),
  ],
  services,
});

const post = (outcome: string, key: string, { path = '/send', secretKey = project.secretKey } = {}) =>
  api.request(path, { key: secretKey, headers: { 'Idempotency-Key': key }, body: { outcome } });

/** Statuses of requests one after another with one new key, and how many ran. */
async function oneKey(...outcomes: string[]): Promise<{ statuses: number[]; ran: number }> {
  const [key, before] = [uuidv7(), services.runs];
  const statuses = [];
  for (const outcome of outcomes) statuses.push((await post(outcome, key)).status);
  return { statuses, ran: services.runs - before };
}

describe('an Idempotency-Key', () => {
  it('lets a successful request run once and tells repeats about it', async () => {
    const key = 'Order 7 / ~!"';
    const startedAt = Date.now();
    expect((await post('ok', key)).status).toBe(200);
    const { status, body } = await post('refused', key, { path: '/track' });
    expect([status, body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(body.error.details).toEqual({
      key,
      originalRequest: 'POST /send',
      originalRequestTime: expect.stringMatching(/^\d{4}-.*Z$/),
      originalStatusCode: 200,
    });
    const originalTime = Date.parse(body.error.details.originalRequestTime);
    expect(originalTime).toBeGreaterThanOrEqual(startedAt);
    expect(originalTime).toBeLessThanOrEqual(Date.now());
    expect(services.runs).toBe(1);
  });

  it('is released by a refusal', async () => {
    expect(await oneKey('refused', 'refused', 'ok', 'ok')).toEqual({
      statuses: [409, 409, 200, 409],
      ran: 3,
    });
  });

  it('is kept by a failure, which may have had an effect', async () => {
    expect(await oneKey('broken', 'ok')).toEqual({ statuses: [500, 409], ran: 1 });
  });

  it('says after a failure that the outcome is open, instead of proposing another key', async () => {
    const key = uuidv7();
    await post('broken', key);
    const { message, suggestion } = (await post('ok', key)).body.error;
    expect(message).toBe('The request with this Idempotency-Key ended with 500, so its outcome is open');
    expect(suggestion).toMatch(/^Look at GET \/emails or GET \/events first: /);
  });

  it('is released when the database undid everything and the answer asks to try again', async () => {
    expect(await oneKey('locked', 'ok', 'ok')).toEqual({ statuses: [503, 200, 409], ran: 2 });
  });

  it('is kept when the connection to the database breaks, which leaves the outcome open', async () => {
    expect(await oneKey('cut off', 'ok')).toEqual({ statuses: [503, 409], ran: 1 });
  });

  it('is not claimed by a request that is not valid', async () => {
    expect(await oneKey('nonsense', 'ok')).toEqual({ statuses: [422, 200], ran: 1 });
  });

  it('lets one of many simultaneous requests run, and refuses the others while it is in flight', async () => {
    const [key, before] = [uuidv7(), services.runs];
    const gate = Promise.withResolvers<void>();
    services.gate = gate.promise;
    let answered = 0;
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await post('slow', key);
        answered += 1;
        if (answered === 19) gate.resolve();
        return answer;
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(services.runs - before).toBe(1);
    for (const { status, body } of answers.filter((each) => each.status !== 200)) {
      expect([status, body.error.details.originalStatusCode]).toEqual([409, null]);
      expect(body.error.message).toContain('still running');
      expect(body.error.suggestion).toContain('with the same key');
    }
  });

  it('belongs to its project and is compared by case', async () => {
    const other = await createTestProject(database);
    expect((await post('ok', 'Shared')).status).toBe(200);
    expect((await post('ok', 'shared')).status).toBe(200);
    expect((await post('ok', 'Shared', { secretKey: other.secretKey })).status).toBe(200);
    expect((await post('ok', 'Shared', { secretKey: other.secretKey })).status).toBe(409);
  });

  it.each([
    ['/templates', { createdId: recordId }],
    ['/campaigns', { createdId: recordId }],
    ['/tests', {}],
  ])('names in the answer to a repeat what was created: %s', async (path, created) => {
    const key = uuidv7();
    const before = services.runs;
    const create = () =>
      api.request(path, { key: project.secretKey, headers: { 'Idempotency-Key': key }, body: {} });
    expect((await create()).status).toBe(201);
    const { status, body } = await create();
    expect([status, body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(body.error.details).toEqual({
      key,
      originalRequest: `POST ${path}`,
      originalRequestTime: expect.any(String),
      originalStatusCode: 201,
      ...created,
    });
    expect(services.runs - before).toBe(1);
  });

  it('is another key on another path that creates', async () => {
    const key = uuidv7();
    expect((await post('ok', key)).status).toBe(200);
    const copies = [uuidv7(), uuidv7()].map((id) => `/tests/${id}/duplicate`);
    for (const path of ['/templates', '/campaigns', ...copies]) {
      const options = { key: project.secretKey, headers: { 'Idempotency-Key': key }, body: {} };
      expect((await api.request(path, options)).status).toBe(201);
    }
  });

  it('is free again after it expires', async () => {
    const key = uuidv7();
    await post('ok', key);
    const [row] = await database.sql<{ hours: number }>(
      'select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from idempotency_keys where key = $1',
      [key],
    );
    expect(row?.hours).toBe(24);
    await database.sql(`update idempotency_keys set expires_at = now() where key = $1`, [key]);
    expect((await post('ok', key)).status).toBe(200);
    expect((await post('ok', key)).status).toBe(409);
  });

  it.each([
    ['', 400],
    [' ', 400],
    ['x'.repeat(255), 200],
    ['x'.repeat(256), 400],
    ['ü', 400],
    ['tab\there', 400],
    ['a b', 200],
  ])('must be 1 to 255 printable ASCII characters: %j → %i', async (key, expected) => {
    expect((await post('ok', key)).status).toBe(expected);
  });

  it('is not required', async () => {
    const before = services.runs;
    for (let index = 0; index < 2; index += 1) {
      const { status } = await api.request('/send', { key: project.secretKey, body: { outcome: 'ok' } });
      expect(status).toBe(200);
    }
    expect(services.runs - before).toBe(2);
  });
});
