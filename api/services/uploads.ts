import { z } from 'zod';
import { DomainError, notFound } from '../../core/errors.ts';
import { checkImage } from '../../core/images/check-image.ts';
import { newImageKey, typeOfImageKey } from '../../core/images/image-key.ts';
import { isQuotaUsedUp, type UploadQuota } from '../../core/images/upload-quota.ts';
import { cursorInstant, encodeCursor } from '../../core/pagination/cursor.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Upload, UploadTotal } from '../../db/entities/upload.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { finishUpload, removeUpload } from '../../db/statements/uploads/count-uploads.ts';
import type { ImageStores } from '../../runtime/image-stores.ts';
import type { ListUploadsQuery } from '../schemas/uploads.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';

export interface UploadsServiceOptions {
  orm: Orm;
  stores: ImageStores;
  quota: UploadQuota;
}

async function readTotal(em: Em, projectId: string): Promise<UploadQuota> {
  return (await em.findOne(UploadTotal, { projectId }, { refresh: true })) ?? { files: 0, bytes: 0 };
}

const positionSchema = z
  .tuple([z.literal('uploads'), cursorInstant, z.string()])
  .transform(([, at, key]) => ({ createdAt: new Date(at), key }));

export function createUploadsService(options: UploadsServiceOptions) {
  const { orm, stores, quota } = options;

  return {
    /** Whether an image is in memory as a whole while it is stored. */
    holdsImages: stores.images.holdsImages,

    /** @throws DomainError `BAD_REQUEST` for a cursor from another list */
    async list(projectId: string, { cursor, limit }: ListUploadsQuery) {
      const em = projectEm(orm, projectId);
      const found = await em.getRepository(Upload).listPage(readCursor(cursor, positionSchema), limit + 1);
      const { rows, next = null } = toScannedPage({ rows: found }, limit, ({ createdAt, key }) =>
        encodeCursor(['uploads', createdAt.toISOString(), key]),
      );
      return {
        images: (await Promise.all(rows.map((row) => presentable(stores, row)))).flat(),
        cursor: next,
        used: await readTotal(em, projectId),
        quota,
      };
    },

    /**
     * Deletes an image, which no longer counts against the quota. A repeat continues an interrupted call.
     * @throws DomainError `NOT_FOUND`
     */
    async removeImage(projectId: string, key: string) {
      const em = projectEm(orm, projectId);
      // An image that is still being stored belongs to its upload.
      if ((await em.count(Upload, { key, stored: true })) === 0) throw notFound('Image');
      await stores.remove(key);
      await removeUpload(em, key);
    },

    /**
     * Stores an image while it streams in; a refused image leaves nothing behind.
     * @throws DomainError `VALIDATION_ERROR` for an invalid image, `CONFLICT` beyond the project's quota
     */
    storeImage: (projectId: string, source: AsyncIterable<Uint8Array>) =>
      storeImage(options, projectId, source),

    /**
     * Opens an image of the local folder.
     * @throws DomainError `NOT_FOUND`
     */
    async openImage(key: string) {
      const contentType = typeOfImageKey(key);
      const image = contentType && (await stores.servedImages.open(key));
      if (contentType === undefined || image === undefined) throw notFound('Image');
      return { contentType, ...image };
    },
  };
}

async function presentable(stores: ImageStores, { key, size, createdAt }: Upload) {
  const contentType = typeOfImageKey(key);
  return contentType === undefined
    ? []
    : [{ url: await stores.urlOf(key), key, contentType, size, createdAt }];
}

function quotaExceeded(quota: UploadQuota, used: UploadQuota): DomainError {
  return new DomainError('CONFLICT', "This image exceeds the project's quota of uploads", {
    details: { usedFiles: used.files, usedBytes: used.bytes, maxFiles: quota.files, maxBytes: quota.bytes },
    suggestion:
      'Upload a smaller image, or ask the operator of this service to raise UPLOADS_PER_PROJECT or UPLOAD_BYTES_PER_PROJECT.',
  });
}

async function storeImage(
  { orm, stores, quota }: UploadsServiceOptions,
  projectId: string,
  source: AsyncIterable<Uint8Array>,
) {
  const em = projectEm(orm, projectId);
  const used = await readTotal(em, projectId);
  if (isQuotaUsedUp(quota, used)) throw quotaExceeded(quota, used);
  const { type, bytes } = await checkImage(source);
  const key = newImageKey(projectId, type);
  // Recorded before the file is written, so that the sweep finds it if this process dies.
  em.create(Upload, { key, projectId });
  await em.flush();
  let size = 0;
  async function* counted() {
    for await (const chunk of bytes) {
      size += chunk.length;
      yield chunk;
    }
  }
  try {
    const url = await stores.images.put(key, type, counted());
    if (!(await finishUpload(em, { key, projectId, size }, quota))) {
      throw quotaExceeded(quota, await readTotal(em, projectId));
    }
    return { url, key, contentType: type, size };
  } catch (error) {
    // A store that did not answer may still complete the file. The sweep removes that, and what can't be removed here.
    const mayFollow = error instanceof DomainError && error.code === 'SERVICE_UNAVAILABLE';
    await stores
      .remove(key)
      .then(() => (mayFollow ? undefined : removeUpload(em, key)))
      .catch(() => undefined);
    throw error;
  }
}
