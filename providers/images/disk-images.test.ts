import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newImageKey } from '../../core/images/image-key.ts';
import { createDiskImages } from './disk-images.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthaste-images-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const project = '0197c1f0-0000-7000-8000-000000000001';
const open = () => createDiskImages(path.join(directory, 'images'), 'https://mail.example.com/uploads');

async function* bytes(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

it('returns what it stored, and nothing for an unknown name', async () => {
  const key = newImageKey(project, 'image/png');
  expect(await open().put(key, 'image/png', bytes('some', ' bytes'))).toBe(
    `https://mail.example.com/uploads/${key}`,
  );
  const image = await open().open(key);
  expect(image?.size).toBe(10);
  expect(Buffer.concat((await image?.stream.toArray()) ?? []).toString()).toBe('some bytes');
  expect(await open().open(newImageKey(project, 'image/png'))).toBeUndefined();
});

it('opens only images that it stored, not other files in the folder', async () => {
  await writeFile(path.join(directory, 'secret.png'), 'secret');
  const store = open();
  await store.put(newImageKey(project, 'image/gif'), 'image/gif', bytes('x'));
  await writeFile(path.join(directory, 'images', project, 'page.html'), 'secret');
  for (const key of [
    '../secret.png',
    `${project}/../../secret.png`,
    `${project}/page.html`,
    project,
    '',
    '.',
  ]) {
    expect(await store.open(key), key).toBeUndefined();
  }
});

it('is not available while the disk takes nothing', async () => {
  const key = newImageKey(project, 'image/png');
  const file = path.join(directory, 'file');
  await writeFile(file, '');
  const unavailable = { code: 'SERVICE_UNAVAILABLE', cause: { code: 'ENOTDIR' } };
  const put = createDiskImages(file, '/uploads').put(key, 'image/png', bytes('x'));
  await expect(put).rejects.toMatchObject(unavailable);
});

it('leaves nothing of an image whose bytes throw', async () => {
  const store = open();
  const key = newImageKey(project, 'image/png');
  const broken = new Error('refused in the middle');
  async function* breaking() {
    yield Buffer.from('start');
    throw broken;
  }
  await expect(store.put(key, 'image/png', breaking())).rejects.toBe(broken);
  expect(await store.open(key)).toBeUndefined();
  const files = await readdir(path.join(directory, 'images', project));
  expect(files.filter((file) => file.endsWith('.part'))).toEqual([]);
});
