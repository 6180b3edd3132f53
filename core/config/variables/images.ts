import { z } from 'zod';
import { integer, optionalText, optionalUrl } from './types.ts';

/** Uploaded images, on disk or in S3. */
export const imagesVariables = {
  UPLOADS_DIR: z
    .string()
    .default('.data/uploads')
    .describe(
      'Folder of uploaded images, served at `/uploads`. All API and worker processes must share it; ' +
        'otherwise use S3.',
    ),
  S3_BUCKET: optionalText.describe(
    'Bucket for uploaded images, publicly readable or through `S3_PUBLIC_URL`. Without it they go to ' +
      '`UPLOADS_DIR`.',
  ),
  S3_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  S3_ENDPOINT: optionalUrl.describe('Address of an S3-compatible service; buckets are addressed by path.'),
  S3_ACCESS_KEY_ID: optionalText.describe('Credentials for the bucket. Default: the usual AWS sources.'),
  S3_SECRET_ACCESS_KEY: optionalText.describe('Required with `S3_ACCESS_KEY_ID`.'),
  S3_PUBLIC_URL: optionalUrl.describe(
    'Public address of the bucket, such as that of a CDN. Default: its address at the service.',
  ),

  UPLOADS_PER_PROJECT: integer(10_000).describe('Images that a project may have; 0 = unlimited.'),
  UPLOAD_BYTES_PER_PROJECT: integer(1_073_741_824).describe(
    "Total bytes of a project's images; 0 = unlimited.",
  ),
};
