import { buffer } from 'node:stream/consumers';
import { DomainError } from '../../core/errors.ts';
import type { AwsAccess } from '../aws-access.ts';
import { createS3Client } from '../s3-client.ts';
import { type ImageStore, imageCacheControl } from './image-store.ts';

export interface S3Options extends AwsAccess {
  bucket: string;
  // Such as a CDN's; undefined: the service's own address of the bucket.
  publicUrl: string | undefined;
}

/** Including all retries: a request waits for the call, and holds its image in memory meanwhile. */
const longestCallMs = 20_000;

/**
 * Images in a bucket of S3 or a compatible service; read permissions are configured there. `put` and
 * `remove` throw DomainError `SERVICE_UNAVAILABLE` when the service fails, refuses or does not answer in time.
 */
export function createS3Images(options: S3Options, callMs = longestCallMs): ImageStore {
  const { bucket, region, endpoint } = options;
  const withClient = createS3Client(options, {
    // Not every compatible service knows the SDK's default checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const service =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const publicUrl = (options.publicUrl ?? service).replace(/\/+$/, '');

  const inTime = () => ({ abortSignal: AbortSignal.timeout(callMs) });
  const urlOf = (key: string) => `${publicUrl}/${key}`;

  return {
    holdsImages: true,
    urlOf,

    async put(key, contentType, bytes) {
      // At most 10 MB: a single call is atomic and can be retried.
      const object = {
        Bucket: bucket,
        Key: key,
        Body: await buffer(bytes),
        ContentType: contentType,
        CacheControl: imageCacheControl,
      };
      await orUnavailable(
        'The image could not be stored',
        withClient((client, sdk) => client.send(new sdk.PutObjectCommand(object), inTime())),
      );
      return urlOf(key);
    },

    async remove(key) {
      const object = { Bucket: bucket, Key: key };
      await orUnavailable(
        'The image could not be deleted',
        withClient((client, sdk) => client.send(new sdk.DeleteObjectCommand(object), inTime())),
      );
    },
  };
}

async function orUnavailable(message: string, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (cause) {
    throw new DomainError('SERVICE_UNAVAILABLE', message, { cause });
  }
}
