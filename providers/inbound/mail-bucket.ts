import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';

/** The bucket that SES stores emails in. */
export interface MailBucket {
  /**
   * The bytes of an object; `too-large` beyond `mostBytes`, of which no more are read.
   * @throws when the object is not there, or not to be had right now
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
  /** Another service than Amazon's, such as the local SES. Its buckets are named in the path. */
  endpoint: string | undefined;
  /** Undefined: the usual AWS sources. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

const connectionTimeoutMs = 5_000;
const requestTimeoutMs = 30_000;

export function createMailBucket({ region, endpoint, credentials }: MailBucketOptions): MailBucket {
  const client = new S3Client({
    region,
    // A bucket may be in another region than SES.
    followRegionRedirects: true,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestHandler: { connectionTimeout: connectionTimeoutMs, requestTimeout: requestTimeoutMs },
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    async read(bucket, key, mostBytes, abortSignal) {
      const object = { Bucket: bucket, Key: key, Range: `bytes=0-${mostBytes}` };
      const { Body } = await client.send(new GetObjectCommand(object), { abortSignal });
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return bytes.length > mostBytes ? 'too-large' : bytes;
    },
  };
}
