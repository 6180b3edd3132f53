import { type IncomingMessage, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../providers/testing/http-server.ts';
import { mebibyte } from './body-memory.ts';
import { holdParts } from './hold-answer.ts';

it('parts of an answer give their memory to others when its client stops reading at its end', async () => {
  // More than the buffers of a connection hold.
  const part = Buffer.alloc(32 * mebibyte);
  const server = await startHttpServer(async ({ path }, res) => {
    const isAsleep = path === '/asleep';
    // A body larger than an owner's share is held alone.
    await holdParts({ res }, path, 96 * mebibyte).then(
      () => res.end(isAsleep ? part : 'read'),
      () => res.writeHead(503).end(),
    );
  });
  onTestFinished(() => server.close());
  const ask = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(`${server.url}${path}`, { agent: false }, resolve);
      call.on('error', reject);
      call.end();
    });
  const asleep = await ask('/asleep');
  onTestFinished(() => void asleep.destroy());
  const next = await ask('/next');
  expect(next.statusCode).toBe(200);
  expect((await next.toArray()).join('')).toBe('read');
  await expect(asleep.toArray()).rejects.toThrow('aborted');
});
