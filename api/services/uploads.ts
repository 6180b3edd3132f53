import type { Readable } from 'node:stream';
import { notFound } from '../../core/errors.ts';
import { checkImage } from '../../core/images/check-image.ts';
import { type ImageType, newImageKey, typeOfImageKey } from '../../core/images/image-key.ts';
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
   * @throws DomainError `VALIDATION_ERROR` when it is no image that is taken
   */
  storeImage(projectId: string, source: AsyncIterable<Uint8Array>): Promise<StoredImage>;
  /**
   * An image in the folder on disk.
   * @throws DomainError `NOT_FOUND`
   */
  openImage(key: string): Promise<{ contentType: ImageType; size: number; stream: Readable }>;
}

export function createUploadsService({ images, servedImages }: ImageStores): UploadsService {
  return {
    async storeImage(projectId, source) {
      const { type, bytes } = await checkImage(source);
      const key = newImageKey(projectId, type);
      let size = 0;
      async function* counted() {
        for await (const chunk of bytes) {
          size += chunk.length;
          yield chunk;
        }
      }
      const url = await images.put(key, type, counted());
      return { url, key, contentType: type, size };
    },

    async openImage(key) {
      const contentType = typeOfImageKey(key);
      const image = contentType && (await servedImages.open(key));
      if (contentType === undefined || image === undefined) throw notFound('Image');
      return { contentType, ...image };
    },
  };
}
