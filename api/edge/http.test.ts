import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { busy } from '../../core/testing/busy.ts';
import { createTestProject, startTestApi, useTestApi } from '../../test/setup/start-test-api.ts';
import { bodyMemory, paceMs } from './body-memory.ts';
import { defineRoute } from './define-route.ts';

const mebibyte = 1024 * 1024;
const size = { 200: { description: 'Its size', schema: z.object({ bytes: z.number() }) } };
const common = { auth: 'none', tags: ['Test'], responses: size } as const;
const sizeOf = (value: unknown) => ({ bytes: JSON.stringify(value).length });
/** What `POST /busy` was asked for. */
const handled: number[] = [];

const routes = [
  defineRoute('POST /json', {
    ...common,
    summary: 'JSON',
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute('POST /form', {
    ...common,
    summary: 'Form',
    bodyFormat: 'form',
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute('POST /text', {
    ...common,
    summary: 'Text',
    bodyFormat: 'text',
    body: z.string(),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute('POST /keyed', {
    ...common,
    auth: 'secretKey',
    summary: 'JSON with a key',
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute('POST /slow', {
    ...common,
    summary: 'While it is handled, nothing arrives for long',
    body: z.looseObject({}),
    handler(ctx) {
      vi.advanceTimersByTime(2 * paceMs);
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute('POST /busy', {
    ...common,
    auth: 'secretKey',
    summary: 'Blocks the event loop for the given time',
    hot: true,
    body: z.object({ ms: z.int(), text: z.string() }),
    handler(ctx) {
      const { ms } = ctx.state.body;
      busy(ms);
      handled.push(ms);
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
  defineRoute('POST /large', {
    ...common,
    auth: 'secretKey',
    summary: 'Up to 40 MB',
    bodyLimitBytes: 40 * mebibyte,
    body: z.looseObject({}),
    handler(ctx) {
      ctx.body = sizeOf(ctx.state.body);
    },
  }),
];

const { api, database, project } = useTestApi({ routes, services: null });

/** Sends a head and, piece by piece, a body; returns everything received until the connection closed. */
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
  it('may be JSON under any of its content types, or name none', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/problem+json']) {
      const { status } = await api.request('/json', { body: '{"a":1}', headers: { 'Content-Type': type } });
      expect([type, status]).toEqual([type, 200]);
    }
    const untyped = await fetch(`${api.url}/json`, { method: 'POST', body: Buffer.from('{"a":1}') });
    expect(untyped.status).toBe(200);
  });

  it('of another type or charset are refused with the expected one', async () => {
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

  it('of 4 MB are accepted with a key, one byte more is not', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(4 * mebibyte - 8) });
    expect((await api.request('/keyed', { key: project.secretKey, body: text })).status).toBe(200);
    const { status, body } = await api.request('/keyed', { key: project.secretKey, body: `${text} ` });
    expect([status, body.error.code, body.error.details]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      { limitBytes: 4 * mebibyte },
    ]);
  });

  it('of 40 MB are accepted where the route says so', async () => {
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

  it('that are too large are drained for a while, so that a client that is still sending sees the answer', async () => {
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

  it('that are large wait for memory without delaying others or small ones; one that stalls loses its memory', async () => {
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

  it('that have arrived and wait to be parsed are not given up, even while others wait for memory', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const claims = [48, 1].map((share) => bodyMemory.claim('another', share * mebibyte));
    onTestFinished(() => {
      for (const { release } of claims) release();
    });
    const accepted: Socket[] = [];
    api.server.on('connection', (socket) => accepted.push(socket));
    const body = JSON.stringify({ a: 'x'.repeat(mebibyte / 4) });
    const head = `POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
    const allButOne = head + body.slice(0, -1);
    const sockets = Array.from({ length: 5 }, () => connect(Number(new URL(api.url).port), '127.0.0.1'));
    for (const socket of sockets) socket.write(allButOne);
    const received = () => accepted.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    await expect.poll(received, { timeout: 90_000 }).toBe(sockets.length * allButOne.length);
    const answers = sockets.map((socket) => once(socket, 'data').then(String));
    for (const socket of sockets) socket.write(body.slice(-1));
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });

  it('that take long to validate let those of others and small ones go first', async () => {
    const [one, other] = [await createTestProject(database), await createTestProject(database)];
    const send = ({ secretKey }: { secretKey: string }, ms: number, bytes = mebibyte / 4) =>
      api.request('/busy', { key: secretKey, body: { ms, text: 'x'.repeat(bytes) } });
    handled.length = 0;
    expect((await send(one, 1_500)).status).toBe(200);
    const resting = send(one, 1);
    expect((await send(other, 2)).status).toBe(200);
    expect((await send(one, 3, 10)).status).toBe(200);
    expect(handled).toEqual([1_500, 2, 3]);
    expect((await resting).status).toBe(200);
    expect(handled).toEqual([1_500, 2, 3, 1]);
  });

  it('that are small without saying so wait for no turn', async () => {
    const { secretKey } = await createTestProject(database);
    const send = async (ms: number) => {
      const body = new Blob([JSON.stringify({ ms, text: '' })]).stream();
      const headers = { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' };
      return (await fetch(`${api.url}/busy`, { method: 'POST', headers, body, duplex: 'half' })).status;
    };
    expect(await send(500)).toBe(200);
    expect(new Set(await Promise.all(Array.from({ length: 110 }, () => send(0))))).toEqual(new Set([200]));
  });

  it('whose client leaves before their turn are not handled', async () => {
    const { secretKey } = await createTestProject(database);
    const send = (ms: number, signal: AbortSignal | null = null) =>
      fetch(`${api.url}/busy`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ms, text: 'x'.repeat(mebibyte / 4) }),
        signal,
      });
    expect((await send(1_000)).status).toBe(200);
    handled.length = 0;
    await expect(send(1, AbortSignal.timeout(500))).rejects.toThrow();
    expect((await send(2)).status).toBe(200);
    expect((await send(3)).status).toBe(200);
    expect(handled).toEqual([2, 3]);
  });

  it('that are only announced, or small without saying so, take no memory from that budget', async () => {
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

  it('that arrive too slowly end with 408', async () => {
    const impatient = await startTestApi({ database, routes, services: null, requestTimeoutMs: 400 });
    const answer = await raw(
      'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
      Array.from({ length: 50 }, () => ' '),
      impatient.url,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('took too long');
    await impatient.close();
  });

  it('that are cut off leave no error behind', async () => {
    const before = api.logLines.length;
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    const text = 'POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{';
    await new Promise((resolve) => socket.write(text, resolve));
    await delay(50);
    socket.destroy();
    // On a busy machine, those that the tests above left may end only now.
    const lines = () => api.logLines.slice(before).filter(({ route }) => route !== '/large');
    await expect.poll(() => lines().length, { timeout: 90_000 }).toBeGreaterThan(0);
    expect(lines()).toEqual([expect.objectContaining({ level: 30, route: '/json', status: 499 })]);
  });
});

describe('requests that are not HTTP', () => {
  it('get the envelope', async () => {
    const answer = await raw('BREW / COFFEE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"BAD_REQUEST"');
    expect(await raw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});
