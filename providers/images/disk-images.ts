import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '../../core/errors.ts';
import { typeOfImageKey } from '../../core/images/image-key.ts';
import type { ImageStore } from './image-store.ts';

export interface DiskImages extends ImageStore {
  has(key: string): Promise<boolean>;
  open(key: string): Promise<{ size: number; stream: Readable } | undefined>;
}

/**
 * Images on disk, one folder per project.
 *
 * `put` throws DomainError `SERVICE_UNAVAILABLE` when the disk fails or is full.
 *
 * @param directory created when the first image is stored
 * @param publicUrl address at which the folder is served
 */
export function createDiskImages(directory: string, publicUrl: string): DiskImages {
  const root = resolve(directory);
  const urlOf = (key: string) => `${publicUrl}/${key}`;
  return {
    holdsImages: false,
    urlOf,

    async put(key, _contentType, bytes) {
      const refusal = await write(join(root, key), bytes).catch((cause: unknown) => {
        throw new DomainError('SERVICE_UNAVAILABLE', 'The image could not be stored', { cause });
      });
      if (refusal !== undefined) throw refusal.error;
      return urlOf(key);
    },

    async remove(key) {
      if (typeOfImageKey(key) === undefined) return;
      await rm(join(root, key), { force: true });
      await rm(`${join(root, key)}.part`, { force: true });
    },

    async has(key) {
      if (typeOfImageKey(key) === undefined) return false;
      return access(join(root, key)).then(
        () => true,
        () => false,
      );
    },

    async open(key) {
      // A valid key can't lead out of the folder.
      if (typeOfImageKey(key) === undefined) return undefined;
      try {
        const handle = await open(join(root, key));
        const { size } = await handle.stat();
        return { size, stream: handle.createReadStream() };
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

/** @returns what the bytes threw; undefined when the file is complete */
async function write(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ error: unknown } | undefined> {
  const part = `${file}.part`;
  let refusal: { error: unknown } | undefined;
  async function* noted() {
    try {
      yield* bytes;
    } catch (error) {
      refusal = { error };
      throw error;
    }
  }
  await mkdir(dirname(file), { recursive: true });
  // Opened before the first byte, so that the file can be removed however early the bytes fail.
  const handle = await open(part, 'wx');
  try {
    await pipeline(noted(), handle.createWriteStream({ flush: true }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    if (refusal === undefined) throw error;
  }
  return refusal;
}
