import { createServer, type RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { listen } from '../local/testing/listen.ts';
import { createS3Client } from './s3-client.ts';

it.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  [
    'never ends its answer',
    (_request, response) => void response.writeHead(200, { 'Content-Length': 9 }).write('x'),
  ],
])('gives up on a bucket that %s', async (_name, listener) => {
  const server = createServer(listener);
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const withClient = createS3Client(
    { region: 'eu-west-1', endpoint, credentials },
    { maxAttempts: 1 },
    { connectMs: 5_000, answerMs: 300 },
  );
  const read = withClient(async (client, sdk) => {
    const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: 'images', Key: 'a' }));
    return Body?.transformToByteArray();
  });
  await expect(read).rejects.toThrow();
  server.closeAllConnections();
  server.close();
});
