import { readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gif, png } from './setup/images.ts';
import { createTestSender, useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { type UploadFile, upload } from './setup/upload.ts';

const stack = useSharedProduct();
const sender = useOneSender(stack);

const jpeg = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  Buffer.alloc(200, 7),
  Buffer.from('ffd9', 'hex'),
]);
const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const mebibyte = 1024 * 1024;

const send = (content: string | Uint8Array, name = 'photo.png', options = {}) =>
  upload(
    `${stack.url}/uploads/image`,
    sender.secretKey,
    [{ field: 'image', name, type: 'image/png', content }],
    options,
  );
const storedFiles = () => readdir(path.join(stack.uploads, sender.projectId)).catch(() => []);

/** Requests a path unchanged; `fetch` would normalize it. */
async function getRaw(rawPath: string): Promise<{ status: number | undefined; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const { hostname, port } = new URL(stack.url);
  request({ hostname, port, path: rawPath }, async (answer) => {
    let body = '';
    for await (const chunk of answer) body += chunk;
    resolve({ status: answer.statusCode, body });
  })
    .on('error', reject)
    .end();
  return promise;
}

describe('POST /uploads/image', () => {
  it.each<[string, Buffer, string]>([
    ['image/png', png, 'png'],
    ['image/gif', gif, 'gif'],
    ['image/jpeg', jpeg, 'jpg'],
    ['image/webp', webp, 'webp'],
  ])('stores %s, which anybody gets back byte by byte', async (contentType, content, extension) => {
    const answer = await send(content, '../../x.html');
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      url: `${stack.url}/uploads/${answer.body.key}`,
      key: expect.stringMatching(new RegExp(`^${sender.projectId}/[0-9a-f]{32}\\.${extension}$`)),
      contentType,
      size: content.length,
    });
    const image = await fetch(answer.body.url);
    expect(image.status).toBe(200);
    expect(Buffer.from(await image.arrayBuffer()).equals(content)).toBe(true);
    expect(Object.fromEntries(image.headers)).toMatchObject({
      'content-type': contentType,
      'content-length': String(content.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    });
    const head = await fetch(answer.body.url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(content.length));
  });

  it('gives each image a unique name', async () => {
    const [one, other] = await Promise.all([send(png), send(png)]);
    expect(one.body.key).not.toBe(other.body.key);
  });

  it('accepts 10 MB, and an upload without a length', async () => {
    const large = Buffer.concat([png, Buffer.alloc(10 * mebibyte - png.length)]);
    const answer = await send(large);
    expect(answer).toMatchObject({ status: 201, body: { size: 10 * mebibyte } });
    expect((await send(large, 'x.png', { chunked: true })).status).toBe(201);
  });

  it('refuses other keys, and requests without one', async () => {
    const files = [{ field: 'image', name: 'x.png', content: png }];
    expect((await upload(`${stack.url}/uploads/image`, sender.publicKey, files)).status).toBe(401);
    expect((await upload(`${stack.url}/uploads/image`, 'nonsense', files)).status).toBe(401);
  });

  it.each<[string, UploadFile[]]>([
    ['no file', []],
    ['a file in another field', [{ field: 'file', name: 'x.png', content: png }]],
    ['two files', [1, 2].map(() => ({ field: 'image', name: 'x.png', content: png }))],
  ])('refuses a form with %s', async (_what, files) => {
    const answer = await upload(`${stack.url}/uploads/image`, sender.secretKey, files);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST' } } });
  });
});

it('answers the next request on a connection after refusing a file in the middle of its upload', async () => {
  const fields = new FormData();
  fields.append('image', new Blob(['%PDF-1.7', Buffer.alloc(300_000)]), 'x.png');
  const form = new Response(fields);
  const body = Buffer.from(await form.arrayBuffer());
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(
    `POST /uploads/image HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sender.secretKey}\r\n` +
      `Content-Type: ${form.headers.get('Content-Type')}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  for (let sent = 0; sent < body.length; sent += 16 * 1024) {
    socket.write(body.subarray(sent, sent + 16 * 1024));
    await delay(20);
  }
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect
    .poll(() => received.match(/HTTP\/1\.1 \d+/g), { timeout: 90_000 })
    .toEqual(['HTTP/1.1 422', 'HTTP/1.1 200']);
  socket.destroy();
});

describe('security of uploads', () => {
  it.each<[string, string | Uint8Array]>([
    ['SVG', svg],
    ['SVG behind an XML declaration', `<?xml version="1.0"?>${svg}`],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['a script', 'alert(1)'],
    ['a PDF', '%PDF-1.7\n'],
    ['an empty file', ''],
    ['9 MB of HTML', `<html>${'x'.repeat(9 * mebibyte)}`],
    ['a GIF that is a web page as well', Buffer.concat([gif, Buffer.from('<SCRIPT >alert(1)</script>')])],
    [
      'a PNG with a page behind it',
      Buffer.concat([png, Buffer.alloc(5 * mebibyte), Buffer.from('<!DOCTYPE html>')]),
    ],
    ['a JPEG that is a PDF as well', Buffer.concat([jpeg.subarray(0, 40), Buffer.from('%PDF-1.7'), jpeg])],
  ])('refuses %s under the name and type of an image, and keeps nothing', async (_what, content) => {
    const before = await storedFiles();
    const answer = await send(content, 'photo.png');
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_ERROR', errors: [{ field: 'image' }] } },
    });
    expect(await storedFiles()).toEqual(before);
  });

  it.each([false, true])(
    'refuses an oversized body while it arrives (chunked: %s), and keeps nothing',
    async (chunked) => {
      const before = await storedFiles();
      const oversized = Buffer.concat([png, Buffer.alloc(10 * mebibyte + 1 - png.length)]);
      const answer = await send(oversized, 'photo.png', { chunked });
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
      expect(await storedFiles()).toEqual(before);
    },
  );

  it('answers 404 to every path that leads out of the folder, and lists no folder', async () => {
    await writeFile(path.join(stack.uploads, '../secret.png'), 'secret');
    const { projectId } = sender;
    await writeFile(path.join(stack.uploads, projectId, 'index.html'), 'secret');
    const paths = [
      '/uploads/../secret.png',
      '/uploads/..%2fsecret.png',
      `/uploads/${projectId}/..%2f..%2fsecret.png`,
      `/uploads/${projectId}/%2e%2e%2f%2e%2e%2fsecret.png`,
      `/uploads/${projectId}/..%5c..%5csecret.png`,
      `/uploads/%2e%2e/secret.png`,
      `/uploads/${projectId}/index.html`,
      `/uploads/${projectId}/${'0'.repeat(32)}.png`,
      `/uploads/${projectId}/`,
      `/uploads/${projectId}`,
    ];
    for (const each of paths) {
      const { status, body } = await getRaw(each);
      expect(status, each).toBe(404);
      expect(body).not.toContain('secret');
    }
    await rm(path.join(stack.uploads, projectId, 'index.html'));
    expect((await getRaw('/uploads')).status).toBe(401);
  });
});

describe('the images of a project', () => {
  const call = (method: string, path: string, key: string) =>
    fetch(`${stack.url}${path}`, { method, headers: { Authorization: `Bearer ${key}` } });
  const list = async (key: string, query = '') =>
    JSON.parse(await (await call('GET', `/uploads${query}`, key)).text());

  it('are listed page by page, newest first, with the space they use', async () => {
    const own = await createTestSender(stack.url);
    const file = { field: 'image', name: 'x.gif', type: 'image/gif' };
    const keys: string[] = [];
    for (const content of [gif, png, gif]) {
      const answer = await upload(`${stack.url}/uploads/image`, own.secretKey, [{ ...file, content }]);
      keys.unshift(answer.body.key);
    }
    const first = await list(own.secretKey, '?limit=2');
    expect(first).toMatchObject({
      data: [
        { key: keys[0], contentType: 'image/gif', size: gif.length, url: `${stack.url}/uploads/${keys[0]}` },
        { key: keys[1], contentType: 'image/png', size: png.length },
      ],
      hasMore: true,
      used: { files: 3, bytes: 2 * gif.length + png.length },
    });
    const rest = await list(own.secretKey, `?limit=2&cursor=${first.cursor}`);
    expect(rest).toMatchObject({ data: [{ key: keys[2] }], cursor: null, hasMore: false });
  });

  it('are deleted once, only by their project, and no longer count against the quota', async () => {
    const own = await createTestSender(stack.url);
    const file = { field: 'image', name: 'x.gif', content: gif };
    const { key, url } = (await upload(`${stack.url}/uploads/image`, own.secretKey, [file])).body;
    expect((await call('DELETE', `/uploads/${key}`, sender.secretKey)).status).toBe(404);
    expect((await fetch(url)).status).toBe(200);
    expect((await call('DELETE', `/uploads/${key}`, own.secretKey)).status).toBe(204);
    expect((await fetch(url)).status).toBe(404);
    expect((await call('DELETE', `/uploads/${key}`, own.secretKey)).status).toBe(404);
    expect(await list(own.secretKey)).toMatchObject({ data: [], used: { files: 0, bytes: 0 } });
  });
});
