import type { Config } from '../core/config/schema.ts';
import { publicApiUrl } from '../core/config/urls.ts';
import { createDiskImages, type DiskImages } from '../providers/images/disk-images.ts';
import type { ImageStore } from '../providers/images/image-store.ts';
import { createS3Images } from '../providers/images/s3-images.ts';

/** The store for new images, and the folder that is always served: images from before a move to S3 stay there. */
export interface ImageStores {
  images: ImageStore;
  servedImages: DiskImages;
  urlOf(key: string): Promise<string>;
  remove(key: string): Promise<void>;
}

export function openImageStores(config: Config): ImageStores {
  const servedImages = createDiskImages(config.UPLOADS_DIR, `${publicApiUrl(config)}/uploads`);
  if (config.S3_BUCKET === undefined) {
    return {
      images: servedImages,
      servedImages,
      urlOf: async (key) => servedImages.urlOf(key),
      remove: (key) => servedImages.remove(key),
    };
  }
  const images = createS3Images({
    bucket: config.S3_BUCKET,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    credentials: s3Credentials(config),
    publicUrl: config.S3_PUBLIC_URL,
  });
  return {
    images,
    servedImages,
    urlOf: async (key) => ((await servedImages.has(key)) ? servedImages : images).urlOf(key),
    async remove(key) {
      await images.remove(key);
      await servedImages.remove(key);
    },
  };
}

function s3Credentials({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: Config) {
  if (S3_ACCESS_KEY_ID === undefined || S3_SECRET_ACCESS_KEY === undefined) return undefined;
  return { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY };
}
