import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import {
  createTestProject,
  startTestApi,
  type TestApi,
  type TestProject,
} from '../../test/setup/start-test-api.ts';
import { createDefineRoute } from './route.ts';

const defineRoute = createDefineRoute<null>();
const mebibyte = 1024 * 1024;
const size = { 200: { description: 'Its size', schema: z.object({ bytes: z.number() }) } };
const common = { auth: 'none', tags: ['Test'], responses: size } as const;
const sizeOf = (value: unknown) => ({ bytes: JSON.stringify(value).length });

const routes = [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/json',
    summary: 'JSON',
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/form',
    summary: 'Form',
    bodyFormat: 'form',
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/text',
    summary: 'Text',
    bodyFormat: 'text',
    body: z.string(),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/large',
    auth: 'secretKey',
    summary: 'Up to 40 MB',
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/open',
    auth: 'publicKey',
    summary: 'From any website',
    crossOrigin: true,
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/page/:id',
    summary: 'A page',
    params: z.object({ id: z.string() }),
    responses: { 200: { description: 'HTML', contentType: 'text/html; charset=utf-8' } },
    handler(ctx) {
      ctx.set({ 'Cache-Control': 'max-age=60', 'set-cookie': ['a=1', 'b=2'] });
      ctx.type = 'html';
      ctx.body = '<p>Grüße</p>';
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/throws/:status',
    summary: 'What ctx.throw answers',
    params: z.object({ status: z.coerce.number() }),
    handler(ctx) {
      ctx.throw(ctx.state.params.status, 'It is taken');
    },
  }),
];

let database: TestDatabase;
let api: TestApi;
let project: TestProject;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ database, routes, services: null });
  project = await createTestProject(database);
});

afterAll(async () => {
  await api?.close();
  await database?.close();
});

/** Sends a head and, piece by piece, a body; gives all that came back until the connection closed. */
async function raw(head: string, slowly: readonly string[] = [], url = api.url): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(head);
  for (const piece of slowly) {
    await delay(100);
    if (socket.destroyed) break;
    socket.write(piece);
  }
  await closed;
  return Buffer.concat(received).toString();
}

describe('request bodies', () => {
  it('may be JSON by any of its names, or say nothing', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/problem+json']) {
      const { status } = await api.request('/json', { body: '{"a":1}', headers: { 'Content-Type': type } });
      expect([type, status]).toEqual([type, 200]);
    }
    const untyped = await fetch(`${api.url}/json`, { method: 'POST', body: Buffer.from('{"a":1}') });
    expect(untyped.status).toBe(200);
  });

  it('of another type or charset are refused with what is expected', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      const { status, body } = await api.request('/json', {
        body: '{"a":1}',
        headers: { 'Content-Type': type },
      });
      expect([type, status, body.error.code]).toEqual([type, 400, 'BAD_REQUEST']);
    }
    const { body } = await api.request('/json', { body: 'a=1', headers: { 'Content-Type': 'text/plain' } });
    expect(body.error.message).toContain('application/json');
  });

  it('may be a form or text where the route says so', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await api.request('/form', { body: 'List-Unsubscribe=One-Click', headers: form })).status).toBe(
      200,
    );
    expect((await api.request('/form', { body: '{}' })).status).toBe(400);
    expect(
      (await api.request('/text', { body: '{', headers: { 'Content-Type': 'text/plain' } })).body.bytes,
    ).toBe(3);
  });

  it('that are compressed are refused', async () => {
    const { status, body } = await api.request('/json', {
      body: gzipSync('{"a":1}'),
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error.message).toContain('Compressed');
  });

  it('of 40 MB are accepted with a key', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(40 * mebibyte - 8) });
    expect(text).toHaveLength(40 * mebibyte);
    const { status } = await api.request('/large', { key: project.secretKey, body: text });
    expect(status).toBe(200);
  });

  it('one byte larger are refused before they are read', async () => {
    const answer = await raw(
      `POST /large HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${project.secretKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${40 * mebibyte + 1}\r\n\r\n{`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"');
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
  });

  it('of unknown length are refused as soon as they are too large, and the client sees the answer', async () => {
    const piece = Buffer.alloc(mebibyte, 'x');
    const sending = httpRequest(`${api.url}/json`, { method: 'POST' });
    const answered = once(sending, 'response');
    for (let sent = 0; sent < 3; sent += 1) sending.write(piece);
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    expect(JSON.parse(Buffer.concat(chunks).toString()).error.details).toEqual({ limitBytes: mebibyte });
    sending.destroy();
  });

  it('that are too large are read away for a while, so that a client that is still sending sees the answer', async () => {
    async function* pieces() {
      for (let sent = 0; sent < 20; sent += 1) {
        yield Buffer.alloc(mebibyte, ' ');
        await delay(5);
      }
    }
    for (let round = 0; round < 3; round += 1) {
      const body = ReadableStream.from(pieces());
      const response = await fetch(`${api.url}/json`, { method: 'POST', body, duplex: 'half' });
      expect([response.status, await response.text()]).toEqual([
        413,
        expect.stringContaining('PAYLOAD_TOO_LARGE'),
      ]);
    }
  });

  const headOfLarge = (length: string) =>
    `POST /large HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${project.secretKey}\r\n${length}\r\n\r\n`;
  const sendLarge = async (bytes: number, { secretKey } = project) =>
    (await api.request('/large', { key: secretKey, body: { a: 'x'.repeat(bytes) } })).status;

  it('that are large wait for memory, not those of others nor small ones; one that stops coming loses its own', async () => {
    const accepted: Socket[] = [];
    api.server.on('connection', (socket) => accepted.push(socket));
    const allButOne = Buffer.alloc(40 * mebibyte - 1, ' ');
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.write(headOfLarge(`Content-Length: ${40 * mebibyte}`));
    socket.write(allButOne);
    const received = () => accepted.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    await expect.poll(received, { timeout: 90_000 }).toBeGreaterThan(allButOne.length);
    expect(await sendLarge(mebibyte / 16)).toBe(200);
    expect(await sendLarge(12 * mebibyte, await createTestProject(database))).toBe(200);
    expect(answer).toBe('');
    expect(await sendLarge(12 * mebibyte)).toBe(200);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nRetry-After: \d+\r\n/);
    socket.destroy();
  });

  it('that are only announced, or small without saying so, take nothing of that budget', async () => {
    const { port } = new URL(api.url);
    const sockets = Array.from({ length: 24 }, () => connect(Number(port), '127.0.0.1'));
    for (const [index, socket] of sockets.entries()) {
      if (index % 2 === 0) socket.write(headOfLarge(`Content-Length: ${40 * mebibyte}`));
      else socket.write(`${headOfLarge('Transfer-Encoding: chunked')}2\r\n{"\r\n`);
    }
    await delay(200);
    expect(await sendLarge(2 * mebibyte)).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('that come too slowly end with 408', async () => {
    const impatient = await startTestApi({ database, routes, services: null, requestTimeoutMs: 400 });
    const startedAt = performance.now();
    const answer = await raw(
      'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
      Array.from({ length: 50 }, () => ' '),
      impatient.url,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('took too long');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await impatient.close();
  });

  it('that break off leave no error behind', async () => {
    const before = api.logLines.length;
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{');
    await delay(50);
    socket.destroy();
    await expect.poll(() => api.logLines.length).toBeGreaterThan(before);
    expect(api.logLines.slice(before)).toEqual([
      expect.objectContaining({ level: 30, route: '/json', status: 499 }),
    ]);
  });
});

describe('requests that are no HTTP', () => {
  it('get the envelope', async () => {
    const answer = await raw('BREW / COFFEE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"BAD_REQUEST"');
    expect(await raw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('paths and methods', () => {
  it('that do not exist are 404, with Allow where another method is served', async () => {
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

  it('answer OPTIONS with what is served', async () => {
    const answer = await api.request('/page/1', { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect((await api.request('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
  });

  it('ignore a slash at the end', async () => {
    expect((await api.request('/page/1/')).status).toBe(200);
  });
});

it('an error of ctx.throw has the envelope; what is no fault of the caller says nothing', async () => {
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

  it('tell browsers to stay on https when the API is there', async () => {
    const secure = await startTestApi({
      database,
      routes,
      services: null,
      environment: { API_URL: 'https://api.example.com' },
    });
    const { headers } = await secure.request('/page/1');
    expect(headers.get('Strict-Transport-Security')).toContain('max-age=31536000');
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

  it('are closed elsewhere, but for a configured dashboard with its cookie', async () => {
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
    const other = await ask(Origin);
    expect(other.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(other.headers.get('Vary')).toBe('Origin');
    await withDashboard.close();
  });
});
