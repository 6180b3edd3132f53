import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttpServer } from '../testing/http-server.ts';
import { type S3Server, startS3Server } from '../testing/s3-server.ts';
import { createS3Images, type S3Options } from './s3-images.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.close());

const open = (options: Partial<S3Options> = {}, callMs?: number) =>
  createS3Images(
    {
      bucket: server.bucket,
      region: 'us-east-1',
      endpoint: server.url,
      credentials: server.credentials,
      publicUrl: undefined,
      ...options,
    },
    callMs,
  );

async function* bytes(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

it('stores an image with its type, for a year', async () => {
  const url = await open().put('project/one.png', 'image/png', bytes('some', ' bytes'));
  expect(url).toBe(`${server.url}/images/project/one.png`);
  const image = await fetch(url);
  expect(await image.text()).toBe('some bytes');
  expect(image.headers.get('content-type')).toBe('image/png');
  expect(image.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

it('removes an image, there or not', async () => {
  const url = await open().put('project/gone.png', 'image/png', bytes('x'));
  await open().remove('project/gone.png');
  await open().remove('project/gone.png');
  expect((await fetch(url)).status).toBe(404);
});

it('accepts an endpoint with a trailing slash', async () => {
  const url = await open({ endpoint: `${server.url}/` }).put('project/five.png', 'image/png', bytes('x'));
  expect(url).toBe(`${server.url}/images/project/five.png`);
  expect((await fetch(url)).status).toBe(200);
});

it('stores 10 MB', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024);
  const url = await open().put('project/large.png', 'image/png', bytes(...Array(10).fill(mebibyte)));
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(10 * 1024 * 1024);
});

it('answers an address below the public one', async () => {
  const store = open({ publicUrl: 'https://images.example.com/' });
  expect(await store.put('project/two.png', 'image/png', bytes('x'))).toBe(
    'https://images.example.com/project/two.png',
  );
});

it('stores nothing when the bytes throw, and passes the error on', async () => {
  const broken = new Error('refused in the middle');
  async function* breaking() {
    yield Buffer.from('start');
    throw broken;
  }
  await expect(open().put('project/three.png', 'image/png', breaking())).rejects.toBe(broken);
  expect((await fetch(`${server.url}/images/project/three.png`)).status).toBe(404);
});

it.each<[string, Partial<S3Options>]>([
  ['a wrong secret', { credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' } }],
  ['an unknown bucket', { bucket: 'missing' }],
  ['a service that is away', { endpoint: 'http://127.0.0.1:1' }],
])('is unavailable with %s', async (_what, options) => {
  const stored = open(options).put('project/four.png', 'image/png', bytes('x'));
  await expect(stored).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const removed = open(options).remove('project/four.png');
  await expect(removed).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it.each<[string, (response: ServerResponse) => unknown]>([
  ['never answers', () => undefined],
  [
    'never ends its answer',
    (response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  ],
])('is unavailable after the time limit when a service %s', async (_what, answer) => {
  const silent = await startHttpServer((_request, response) => answer(response));
  const store = open({ endpoint: silent.url }, 200);
  const unavailable = { code: 'SERVICE_UNAVAILABLE' };
  await expect(store.put('project/six.png', 'image/png', bytes('x'))).rejects.toMatchObject(unavailable);
  await expect(store.remove('project/six.png')).rejects.toMatchObject(unavailable);
  await expect.poll(() => silent.openConnections).toBe(0);
  await silent.close();
});
