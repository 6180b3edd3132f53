import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
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

/** Images in a bucket of S3 or of a service that speaks its protocol; what the bucket shows to whom is its matter. */
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
    endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`;
  const publicUrl = (options.publicUrl ?? service).replace(/\/+$/, '');

  return {
    async put(key, contentType, bytes) {
      const upload = new Upload({
        client,
        params: {
          Bucket: bucket,
          Key: key,
          Body: Readable.from(bytes),
          ContentType: contentType,
          CacheControl: imageCacheControl,
        },
        // One part of 5 MB is in memory at a time.
        queueSize: 1,
      });
      try {
        await upload.done();
      } catch (cause) {
        if (cause instanceof DomainError) throw cause;
        throw new DomainError('SERVICE_UNAVAILABLE', 'The image could not be stored', { cause });
      }
      return `${publicUrl}/${key}`;
    },
  };
}
