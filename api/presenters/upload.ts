import type { z } from 'zod';
import type { uploadPageSchema } from '../schemas/uploads.ts';
import type { UploadsPage } from '../services/uploads.ts';

export function presentUploads(page: UploadsPage): z.output<typeof uploadPageSchema> {
  const { images, cursor, used, quota } = page;
  return {
    data: images.map((image) => ({ ...image, createdAt: image.createdAt.toISOString() })),
    cursor,
    hasMore: cursor !== null,
    used: { files: used.files, bytes: used.bytes },
    quota,
  };
}
