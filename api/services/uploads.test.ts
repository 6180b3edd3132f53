import { expect, it } from 'vitest';
import { createS3Images } from '../../providers/images/s3-images.ts';
import { startHttpServer } from '../../providers/testing/http-server.ts';
import { sweepUploads } from '../../temporal/activities/projects/erase-uploads.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { gif } from '../../test/setup/images.ts';
import { createTestProject } from '../../test/setup/start-test-api.ts';
import { createUploadsService } from './uploads.ts';

const database = useTestDatabase();
/** A folder without images. */
const none = { has: async () => false, open: async () => undefined };

it('an image that a slow bucket completes after the upload was given up is swept', async () => {
  const { id: projectId } = await createTestProject(database);
  const waiting: string[] = [];
  const bucket = new Set<string>();
  const server = await startHttpServer(({ method, path }, response) => {
    const key = path.replace(/\?.*$/, '');
    if (method === 'PUT') {
      waiting.push(key);
      return;
    }
    bucket.delete(key);
    response.writeHead(204).end();
  });
  const images = createS3Images(
    {
      bucket: 'images',
      region: 'us-east-1',
      endpoint: server.url,
      credentials: { accessKeyId: 'of', secretAccessKey: 'the-test' },
      publicUrl: undefined,
    },
    1_000,
  );
  const { remove } = images;
  const stores = { images, remove, urlOf: async () => '', servedImages: { ...images, ...none } };
  const uploads = createUploadsService({ orm: database.orm, stores, quota: { files: 0, bytes: 0 } });
  async function* source() {
    yield gif;
  }
  await expect(uploads.storeImage(projectId, source())).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  for (const key of waiting) bucket.add(key);
  expect(bucket.size).toBe(1);
  await database.sql(`update uploads set created_at = now() - interval '2 hours'`);
  expect(await sweepUploads(database.em(), remove)).toBe(1);
  expect([...bucket]).toEqual([]);
  await server.close();
});
