import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { typeOfImageKey } from '../../core/images/image-key.ts';
import type { ImageStore } from './image-store.ts';

export interface DiskImages extends ImageStore {
  /** An image to be read; undefined when there is none of this name, whatever else the name may point to. */
  open(key: string): Promise<{ size: number; stream: Readable } | undefined>;
}

/**
 * Images in a folder, one folder below it per project.
 *
 * @param directory created when the first image is stored
 * @param publicUrl address below which the folder is served
 */
export function createDiskImages(directory: string, publicUrl: string): DiskImages {
  const root = resolve(directory);
  return {
    async put(key, _contentType, bytes) {
      const file = join(root, key);
      const part = `${file}.part`;
      await mkdir(dirname(file), { recursive: true });
      // Open before the first byte, so that the file is there to be removed however soon the bytes fail.
      const handle = await open(part, 'wx');
      try {
        await pipeline(bytes, handle.createWriteStream({ flush: true }));
        await rename(part, file);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      return `${publicUrl}/${key}`;
    },

    async remove(key) {
      if (typeOfImageKey(key) === undefined) return;
      await rm(join(root, key), { force: true });
      await rm(`${join(root, key)}.part`, { force: true });
    },

    async open(key) {
      // The form of a key leaves no way out of the folder.
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
