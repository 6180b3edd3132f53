import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DomainError } from '../../core/errors.ts';
import { type ImageStore, imageCacheControl } from './image-store.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** Another service than Amazon's. Its buckets are named in the path. */
  endpoint: string | undefined;
  /** Undefined: the usual AWS sources. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Address of the bucket for everybody, such as a CDN's; undefined: the one of the service. */
  publicUrl: string | undefined;
}

const connectionTimeoutMs = 5_000;
const requestTimeoutMs = 30_000;

/**
 * Images in a bucket of S3 or of a service that speaks its protocol; who may read the bucket is its own matter.
 * `put` throws DomainError `SERVICE_UNAVAILABLE` when the service fails or refuses.
 */
export function createS3Images(options: S3Options): ImageStore {
  const { bucket, region, endpoint, credentials } = options;
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestHandler: { connectionTimeout: connectionTimeoutMs, requestTimeout: requestTimeoutMs },
    // Not every other service knows the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const service =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const publicUrl = (options.publicUrl ?? service).replace(/\/+$/, '');

  return {
    async put(key, contentType, bytes) {
      // At most 10 MB: one call stores all or nothing, and can be repeated.
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      const object = {
        Bucket: bucket,
        Key: key,
        Body: Buffer.concat(chunks),
        ContentType: contentType,
        CacheControl: imageCacheControl,
      };
      try {
        await client.send(new PutObjectCommand(object));
      } catch (cause) {
        throw new DomainError('SERVICE_UNAVAILABLE', 'The image could not be stored', { cause });
      }
      return `${publicUrl}/${key}`;
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
