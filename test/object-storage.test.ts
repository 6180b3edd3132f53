import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { startS3Server } from '../providers/testing/s3-server.ts';
import { fileFixture } from './setup/fixtures.ts';
import { gif } from './setup/images.ts';
import { useTestProduct } from './setup/product.ts';
import { useOneSender } from './setup/sender.ts';
import { upload } from './setup/upload.ts';

const s3 = fileFixture(startS3Server, ({ close }) => close());
const stack = useTestProduct(() => ({
  S3_BUCKET: s3.bucket,
  S3_ENDPOINT: s3.url,
  S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  TEMPORAL_UI_URL: 'https://temporal.example.com',
  OAUTH_GITHUB_CLIENT_ID: 'github-client-of-the-test',
  OAUTH_GITHUB_CLIENT_SECRET: 'github-secret-of-the-test',
}));
const sender = useOneSender(stack);

const send = (content: string | Uint8Array) =>
  upload(`${stack.url}/uploads/image`, sender.secretKey, [{ field: 'image', name: 'x.png', content }]);

it('stores an uploaded image in the bucket, where anybody can read it', async () => {
  const { status, body } = await send(gif);
  expect(status).toBe(201);
  expect(body.url).toBe(`${s3.url}/${s3.bucket}/${body.key}`);
  const image = await fetch(body.url);
  expect(Buffer.from(await image.arrayBuffer()).equals(gif)).toBe(true);
  expect(image.headers.get('content-type')).toBe('image/gif');
});

it('refuses the same uploads as on disk', async () => {
  const page = Buffer.concat([gif, Buffer.alloc(100_000, 0x20), Buffer.from('<script>alert(1)</script>')]);
  expect((await send(page)).status).toBe(422);
  expect((await send(Buffer.concat([gif, Buffer.alloc(10 * 1024 * 1024)]))).status).toBe(413);
});

it('holds few large images in memory, and accepts others when those are done', async () => {
  const mebibyte = 1024 * 1024;
  const pixels = Buffer.alloc(9 * mebibyte);
  const boundary = 'of-the-test';
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="x.gif"\r\n\r\n`;
  const headers = {
    Authorization: `Bearer ${sender.secretKey}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
  };
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const held = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers / mebibyte;
  };
  const before = held();
  const uploads = Array.from({ length: 30 }, () => {
    const slow = request(`${stack.url}/uploads/image`, { method: 'POST', headers });
    slow.on('error', () => undefined);
    slow.write(start);
    slow.write(gif);
    slow.write(pixels);
    return slow;
  });
  await delay(3_000);
  const grownBy = held() - before;
  const small = await send(gif);
  for (const slow of uploads) slow.destroy();
  expect(grownBy).toBeLessThan(120);
  expect(small.status).toBe(201);
  const large = await send(Buffer.concat([gif, pixels]));
  expect(large.status).toBe(201);
});

it('still serves images from before the move to the bucket', async () => {
  const folder = path.join(stack.uploads, sender.projectId);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${'a'.repeat(32)}.gif`), gif);
  const image = await fetch(`${stack.url}/uploads/${sender.projectId}/${'a'.repeat(32)}.gif`);
  expect(image.status).toBe(200);
  expect(image.headers.get('content-type')).toBe('image/gif');
});

it('lists and deletes images by their URL in the bucket', async () => {
  const { key, url } = (await send(gif)).body;
  const headers = { Authorization: `Bearer ${sender.secretKey}` };
  const listed = await fetch(`${stack.url}/uploads?limit=1`, { headers });
  expect(JSON.parse(await listed.text()).data).toMatchObject([{ key, url }]);
  await fetch(`${stack.url}/uploads/${key}`, { method: 'DELETE', headers });
  expect((await fetch(url)).status).toBe(404);
});

it('is reported by GET /config, to anybody and without a secret', async () => {
  const answer = await fetch(`${stack.url}/config`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(JSON.parse(text)).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    features: {
      billing: false,
      objectStorage: true,
      signup: true,
      smtp: false,
      inbound: true,
      oauth: { google: false, github: true },
    },
    urls: { api: stack.url, dashboard: null, temporalUi: 'https://temporal.example.com' },
  });
  const hidden = ['APP_SECRET', 'DATABASE_URL', 'S3_ACCESS_KEY_ID', 'S3_ENDPOINT', 'SNS_TOPIC_ARNS'];
  for (const name of [...hidden, 'OAUTH_GITHUB_CLIENT_ID', 'OAUTH_GITHUB_CLIENT_SECRET']) {
    expect(stack.environment[name], name).not.toBe('');
    expect(text).not.toContain(stack.environment[name]);
  }
});
