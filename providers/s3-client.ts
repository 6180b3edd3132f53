import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';

type Sdk = typeof import('@aws-sdk/client-s3');

/** A client of S3 whose SDK is loaded by the first call: most processes make none. */
export function createS3Client(
  settings: S3ClientConfig,
): <Answer>(call: (client: S3Client, sdk: Sdk) => Promise<Answer>) => Promise<Answer> {
  let opened: Promise<{ client: S3Client; sdk: Sdk }> | undefined;
  return async (call) => {
    opened ??= import('@aws-sdk/client-s3').then((sdk) => ({ client: new sdk.S3Client(settings), sdk }));
    const { client, sdk } = await opened;
    return call(client, sdk);
  };
}
