import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { newImageKey } from '../core/images/image-key.ts';
import { Upload, UploadTotal } from '../db/entities/upload.ts';
import { finishUpload, removeUpload } from '../db/statements/uploads/count-uploads.ts';
import { sql } from '../db/testing/sql.ts';
import { createDiskImages } from '../providers/images/disk-images.ts';
import { sweepUploads } from '../temporal/activities/projects/erase-uploads.ts';
import { eventually } from './setup/eventually.ts';
import { createOwnProject, createTestPerson } from './setup/people.ts';
import { useTestProduct } from './setup/product.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { upload } from './setup/upload.ts';

const [maxFiles, maxBytes, size] = [20, 50_000, 4_000];
const stack = useTestProduct({
  UPLOADS_PER_PROJECT: String(maxFiles),
  UPLOAD_BYTES_PER_PROJECT: String(maxBytes),
});

/** A JPEG of this many bytes. */
function jpegOf(bytes: number): Buffer {
  const head = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
  return Buffer.concat([head, Buffer.alloc(bytes - head.length - 2, 7), Buffer.from('ffd9', 'hex')]);
}
const send = (key: string, bytes = size) =>
  upload(`${stack.url}/uploads/image`, key, [
    {
      field: 'image',
      name: `${randomBytes(4).toString('hex')}.jpg`,
      type: 'image/jpeg',
      content: jpegOf(bytes),
    },
  ]);
const filesOf = (projectId: string) => readdir(path.join(stack.uploads, projectId)).catch(() => []);
const totalOf = async (projectId: string) => {
  const total = await stack.em().findOne(UploadTotal, { projectId });
  return { files: total?.files ?? 0, bytes: total?.bytes ?? 0 };
};

describe('the uploads of a project', () => {
  it('have a quota of bytes, exact under 50 concurrent calls, and refused files leave nothing behind', async () => {
    const project = await createOwnProject(await createTestPerson(stack.url));
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(project.secretKey)));
    const fitting = Math.floor(maxBytes / size);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(fitting);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(50 - fitting);
    expect(refused[0]?.body.error).toMatchObject({
      code: 'CONFLICT',
      details: { maxFiles, maxBytes },
      suggestion: expect.stringContaining('UPLOAD_BYTES_PER_PROJECT'),
    });
    expect(await filesOf(project.id)).toHaveLength(fitting);
    expect(await totalOf(project.id)).toEqual({ files: fitting, bytes: fitting * size });
    // A smaller image still fits.
    expect((await send(project.secretKey, maxBytes - fitting * size)).status).toBe(201);
    expect((await send(project.secretKey, 100)).status).toBe(409);
  });

  it('have a quota of images per project', async () => {
    const owner = await createTestPerson(stack.url);
    const [project, other] = [await createOwnProject(owner), await createOwnProject(owner)];
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(project.secretKey, 100)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(maxFiles);
    expect((await send(other.secretKey, 100)).status).toBe(201);
  });

  it('go when the project is reset or deleted, and free quota', async () => {
    const owner = await createTestPerson(stack.url);
    const [project, neighbor] = [await createOwnProject(owner), await createOwnProject(owner)];
    for (const { secretKey } of [project, project, neighbor]) await send(secretKey);
    const reset = await owner.call('POST', `/users/@me/projects/${project.id}/reset`, {
      confirm: project.name,
    });
    expect(reset.status).toBe(200);
    await eventually(
      () => filesOf(project.id),
      (files) => files.length === 0,
    );
    await eventually(
      () => totalOf(project.id),
      ({ files }) => files === 0,
    );
    expect(await totalOf(project.id)).toEqual({ files: 0, bytes: 0 });
    expect((await send(project.secretKey)).status).toBe(201);
    await owner.call('DELETE', `/users/@me/projects/${project.id}`);
    await eventually(
      () => filesOf(project.id),
      (files) => files.length === 0,
    );
    expect(await stack.em().findOne(UploadTotal, { projectId: project.id })).toBeNull();
    expect(await filesOf(neighbor.id)).toHaveLength(1);
  });

  it('leave no total of a project that was deleted during an upload', async () => {
    const [em, projectId] = [stack.em(), randomUUID()];
    const key = newImageKey(projectId, 'image/jpeg');
    em.create(Upload, { key, projectId });
    await em.flush();
    expect(await finishUpload(em, { key, projectId, size }, { files: 0, bytes: 0 })).toBe(false);
    expect(await em.findOne(UploadTotal, { projectId })).toBeNull();
  });

  it('count no image that is erased while its upload ends', async () => {
    const project = await createOwnProject(await createTestPerson(stack.url));
    const key = newImageKey(project.id, 'image/jpeg');
    const em = stack.em();
    em.create(Upload, { key, projectId: project.id });
    await em.flush();
    let finished: Promise<boolean> | undefined;
    await stack.em().transactional(async (erasing) => {
      await removeUpload(erasing, key);
      finished = finishUpload(em, { key, projectId: project.id, size }, { files: 0, bytes: 0 });
      await untilBlocking(erasing);
    });
    expect(await finished).toBe(false);
    expect(await totalOf(project.id)).toEqual({ files: 0, bytes: 0 });
  });

  it('of a dead process are swept, complete or partial; uploads in progress are not', async () => {
    const project = await createOwnProject(await createTestPerson(stack.url));
    const answer = await send(project.secretKey);
    const em = stack.em();
    const keys = [1, 2, 3].map(() => newImageKey(project.id, 'image/png'));
    for (const key of keys) em.create(Upload, { key, projectId: project.id });
    await em.flush();
    await sql(em, `update uploads set created_at = now() - interval '2 hours' where key = any($1)`, [
      keys.slice(0, 2),
    ]);
    await writeFile(path.join(stack.uploads, keys[0] ?? ''), 'whole');
    await writeFile(path.join(stack.uploads, `${keys[1]}.part`), 'in part');
    await writeFile(path.join(stack.uploads, `${keys[2]}.part`), 'under way');
    const images = createDiskImages(stack.uploads, '');
    expect(await sweepUploads(em, (key) => images.remove(key))).toBe(2);
    expect((await filesOf(project.id)).toSorted()).toEqual(
      [path.basename(answer.body.key), `${path.basename(keys[2] ?? '')}.part`].toSorted(),
    );
    expect(await totalOf(project.id)).toEqual({ files: 1, bytes: size });
  });

  it('are swept although an image of another project cannot be removed', async () => {
    const em = stack.em();
    const keys: string[] = [];
    for (const age of ['4 hours', '3 hours', '2 hours']) {
      const { id: projectId } = await createOwnProject(await createTestPerson(stack.url));
      const key = newImageKey(projectId, 'image/png');
      keys.push(key);
      await em.fork().persist(em.create(Upload, { key, projectId })).flush();
      await sql(em, 'update uploads set created_at = now() - $2::interval where key = $1', [key, age]);
    }
    const images = createDiskImages(stack.uploads, '');
    const [first = ''] = keys;
    await mkdir(path.join(stack.uploads, first), { recursive: true });
    await expect(sweepUploads(em, (key) => images.remove(key))).rejects.toThrow(path.basename(first));
    const left = () => sql(em, 'select key from uploads where key = any($1)', [keys]);
    expect(await left()).toEqual([{ key: first }]);
    await rmdir(path.join(stack.uploads, first));
    expect(await sweepUploads(em, (key) => images.remove(key))).toBe(1);
    expect(await left()).toEqual([]);
  });
});
