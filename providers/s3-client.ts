import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { type AwsAccess, accessSettings } from './aws-access.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

export interface S3Timeouts {
  connectMs: number;
  /** To the first byte of the answer, and again from there to its end. */
  answerMs: number;
}

const defaultTimeouts: S3Timeouts = { connectMs: 5_000, answerMs: 30_000 };

/**
 * An S3 client whose SDK is loaded by the first call: most processes make none. Services other than Amazon's are addressed
 * with the bucket in the path.
 */
export function createS3Client(
  access: AwsAccess,
  settings: S3ClientConfig,
  { connectMs, answerMs }: S3Timeouts = defaultTimeouts,
): <Answer>(call: (client: S3Client, sdk: Sdk) => Promise<Answer>) => Promise<Answer> {
  const requestHandler = {
    connectionTimeout: connectMs,
    requestTimeout: answerMs,
    // Otherwise the SDK only warns, and waits for a silent bucket forever.
    throwOnRequestTimeout: true,
    socketTimeout: answerMs,
  };
  const own = { ...accessSettings(access), forcePathStyle: access.endpoint !== undefined };
  let opened: Promise<{ client: S3Client; sdk: Sdk }> | undefined;
  return async (call) => {
    opened ??= import('@aws-sdk/client-s3').then((sdk) => ({
      client: new sdk.S3Client({ ...own, ...settings, requestHandler }),
      sdk,
    }));
    const { client, sdk } = await opened;
    return call(client, sdk);
  };
}
