import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestApi, useTestApi } from '../../test/setup/start-test-api.ts';
import { defineRoute } from './define-route.ts';

const nothing = { 204: { description: 'Nothing' } };
const common = { auth: 'none', tags: ['Test'], responses: nothing } as const;

const routes = [
  defineRoute('POST /json', {
    ...common,
    summary: 'JSON',
    body: z.looseObject({}),
    handler: () => undefined,
  }),
  defineRoute('POST /open', {
    ...common,
    auth: 'publicKey',
    summary: 'From any website',
    crossOrigin: true,
    body: z.looseObject({}),
    handler: () => undefined,
  }),
  defineRoute('GET /page/:id', {
    ...common,
    summary: 'A page',
    params: z.object({ id: z.string() }),
    responses: { 200: { description: 'HTML', contentType: 'text/html; charset=utf-8' } },
    handler(ctx) {
      ctx.set({ 'Cache-Control': 'max-age=60', 'set-cookie': ['a=1', 'b=2'] });
      ctx.type = 'html';
      ctx.body = '<p>Grüße</p>';
    },
  }),
  defineRoute('GET /throws/:status', {
    ...common,
    summary: 'What ctx.throw answers',
    params: z.object({ status: z.coerce.number() }),
    handler(ctx) {
      ctx.throw(ctx.state.params.status, 'It is taken');
    },
  }),
];

const { api, database, project } = useTestApi({ routes, services: null });

describe('paths and methods', () => {
  it('that do not exist are 404, with Allow when another method is served', async () => {
    const nowhere = await api.request('/nowhere');
    expect([nowhere.status, nowhere.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(nowhere.headers.get('Allow')).toBeNull();
    const wrongMethod = await api.request('/json', { method: 'PUT' });
    expect([wrongMethod.status, wrongMethod.headers.get('Allow')]).toEqual([404, 'POST, OPTIONS']);
    expect(nowhere.headers.get('X-Request-Id')).toBe(nowhere.body.error.requestId);
  });

  it('answer HEAD like GET without the body', async () => {
    const get = await api.request('/page/1');
    const head = await api.request('/page/1', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
  });

  it('answer OPTIONS with the methods served', async () => {
    const answer = await api.request('/page/1', { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect((await api.request('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
  });

  it('ignore a trailing slash', async () => {
    expect((await api.request('/page/1/')).status).toBe(200);
  });
});

it('an error of ctx.throw has the envelope; an internal error reveals nothing', async () => {
  for (const [status, code, message] of [
    [409, 'CONFLICT', 'It is taken'],
    [418, 'BAD_REQUEST', 'It is taken'],
    [502, 'INTERNAL_SERVER_ERROR', 'An unexpected error occurred'],
  ] as const) {
    const { body } = await api.request(`/throws/${status}`);
    expect([status, body.error.code, body.error.message]).toEqual([status, code, message]);
  }
});

describe('headers', () => {
  it('protect every answer', async () => {
    for (const path of ['/page/1', '/nowhere']) {
      const { headers } = await api.request(path);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('X-Frame-Options')).toBe('DENY');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(headers.get('Strict-Transport-Security')).toBeNull();
    }
    expect((await api.request('/nowhere')).headers.get('Cache-Control')).toBe('no-store');
  });

  it('of a handler replace those of the edge and may repeat', async () => {
    const { headers, body } = await api.request('/page/1');
    expect(headers.get('Cache-Control')).toBe('max-age=60');
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(headers.get('Content-Length')).toBe(String(Buffer.byteLength(body)));
  });

  it('tell browsers to stay on https when the API uses it', async () => {
    const secure = await startTestApi({
      database,
      routes,
      services: null,
      environment: { API_URL: 'https://api.example.com' },
    });
    const { headers } = await secure.request('/page/1');
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    await secure.close();
  });
});

describe('cross-origin requests', () => {
  const Origin = 'https://shop.example';

  it('are open to every website where a route takes public keys, also for errors', async () => {
    for (const key of [project.publicKey, 'pk_unknown']) {
      const { headers } = await api.request('/open', { key, body: {}, headers: { Origin } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect(headers.get('Access-Control-Expose-Headers')).toContain('RateLimit-Remaining');
      expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Request-Id');
    }
  });

  it('are announced by a preflight without a key', async () => {
    const { status, headers } = await api.request('/open', {
      method: 'OPTIONS',
      headers: { Origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Allow-Methods')).toContain('POST');
    expect(headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    expect(headers.get('Access-Control-Allow-Headers')).toContain('Idempotency-Key');
  });

  it('are refused elsewhere, except from a configured dashboard with its cookie', async () => {
    expect(
      (await api.request('/page/1', { headers: { Origin } })).headers.get('Access-Control-Allow-Origin'),
    ).toBeNull();
    const dashboard = 'https://dashboard.example';
    const withDashboard = await startTestApi({
      database,
      routes,
      services: null,
      environment: { DASHBOARD_URL: `${dashboard}/app` },
    });
    const ask = (origin: string) => withDashboard.request('/page/1', { headers: { Origin: origin } });
    const allowed = await ask(dashboard);
    expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe(dashboard);
    expect(allowed.headers.get('Access-Control-Allow-Credentials')).toBe('true');
    expect(allowed.headers.get('Vary')).toBe('Origin');
    const preflight = await withDashboard.request('/page/1', {
      method: 'OPTIONS',
      headers: { Origin: dashboard, 'Access-Control-Request-Method': 'PATCH' },
    });
    const headersOfDashboard = expect.arrayContaining(['Content-Type', 'If-Match', 'X-Project-Id']);
    expect(preflight.headers.get('Access-Control-Allow-Headers')?.split(/, ?/)).toEqual(headersOfDashboard);
    const other = await ask(Origin);
    expect(other.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(other.headers.get('Vary')).toBe('Origin');
    await withDashboard.close();
  });
});
