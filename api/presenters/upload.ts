import type { z } from 'zod';
import { imageSchema, type uploadPageSchema } from '../schemas/uploads.ts';
import type { UploadsPage } from '../services/uploads.ts';
import { present } from './present.ts';

export function presentUploads(page: UploadsPage): z.output<typeof uploadPageSchema> {
  const { images, cursor, used, quota } = page;
  return {
    data: images.map((image) => present(imageSchema, image)),
    cursor,
    hasMore: cursor !== null,
    used: { files: used.files, bytes: used.bytes },
    quota,
  };
}
