import { createS3Client } from '../s3-client.ts';

export interface MailBucket {
  /**
   * Reads an object; `too-large` beyond `mostBytes`, after reading at most one byte more.
   *
   * @throws when the object is missing or unreadable now
   */
  read(
    bucket: string,
    key: string,
    mostBytes: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | 'too-large'>;
}

export interface MailBucketOptions {
  region: string;
  endpoint: string | undefined;
  // Undefined: the default AWS credential chain.
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

export function createMailBucket({ region, endpoint, credentials }: MailBucketOptions): MailBucket {
  const withClient = createS3Client({
    region,
    // The bucket may be in another region than SES.
    followRegionRedirects: true,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    async read(bucket, key, mostBytes, abortSignal) {
      const object = { Bucket: bucket, Key: key, Range: `bytes=0-${mostBytes}` };
      const { Body } = await withClient((client, sdk) =>
        client.send(new sdk.GetObjectCommand(object), { abortSignal }),
      );
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return bytes.length > mostBytes ? 'too-large' : bytes;
    },
  };
}
