import type { Readable } from 'node:stream';
import { DomainError, notFound } from '../../core/errors.ts';
import { checkImage } from '../../core/images/check-image.ts';
import { type ImageType, newImageKey, typeOfImageKey } from '../../core/images/image-key.ts';
import type { Orm } from '../../db/orm.ts';
import {
  beginUpload,
  finishUpload,
  readUploadTotal,
  removeUpload,
  type UploadQuota,
} from '../../db/repositories/uploads/uploads.ts';
import type { ImageStores } from '../../runtime/image-stores.ts';

export interface StoredImage {
  url: string;
  key: string;
  contentType: ImageType;
  /** Bytes. */
  size: number;
}

export interface UploadsService {
  /**
   * Stores an image of a project while its bytes arrive; nothing is left of one that is refused.
   * @throws DomainError `VALIDATION_ERROR` when it is no image that is taken, `CONFLICT` beyond the project's quota
   */
  storeImage(projectId: string, source: AsyncIterable<Uint8Array>): Promise<StoredImage>;
  /**
   * An image in the folder on disk.
   * @throws DomainError `NOT_FOUND`
   */
  openImage(key: string): Promise<{ contentType: ImageType; size: number; stream: Readable }>;
}

export interface UploadsServiceOptions {
  orm: Orm;
  stores: ImageStores;
  quota: UploadQuota;
}

export function createUploadsService({ orm, stores, quota }: UploadsServiceOptions): UploadsService {
  const { images, servedImages } = stores;

  function isFull({ files, bytes }: UploadQuota): boolean {
    return (quota.files > 0 && files >= quota.files) || (quota.bytes > 0 && bytes >= quota.bytes);
  }

  async function quotaExceeded(projectId: string): Promise<DomainError> {
    const used = await readUploadTotal(orm.em.fork(), projectId);
    return new DomainError('CONFLICT', 'The project has no room for this image', {
      details: { usedFiles: used.files, usedBytes: used.bytes, maxFiles: quota.files, maxBytes: quota.bytes },
      suggestion:
        'Upload a smaller image, or ask whoever runs this service to raise UPLOADS_PER_PROJECT or UPLOAD_BYTES_PER_PROJECT.',
    });
  }

  return {
    async storeImage(projectId, source) {
      const em = orm.em.fork();
      if (isFull(await readUploadTotal(em, projectId))) throw await quotaExceeded(projectId);
      const { type, bytes } = await checkImage(source);
      const key = newImageKey(projectId, type);
      await beginUpload(em, key, projectId);
      let size = 0;
      async function* counted() {
        for await (const chunk of bytes) {
          size += chunk.length;
          yield chunk;
        }
      }
      try {
        const url = await images.put(key, type, counted());
        // Counted once its size is known: of uploads at once no more stay than there is room for.
        if (!(await finishUpload(em, { key, projectId, size }, quota))) throw await quotaExceeded(projectId);
        return { url, key, contentType: type, size };
      } catch (error) {
        // What fails here as well is found by the sweep.
        await stores
          .remove(key)
          .then(() => removeUpload(em, key))
          .catch(() => undefined);
        throw error;
      }
    },

    async openImage(key) {
      const contentType = typeOfImageKey(key);
      const image = contentType && (await servedImages.open(key));
      if (contentType === undefined || image === undefined) throw notFound('Image');
      return { contentType, ...image };
    },
  };
}
