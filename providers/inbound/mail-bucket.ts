import type { AwsAccess } from '../aws-access.ts';
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

export function createMailBucket(access: AwsAccess): MailBucket {
  const withClient = createS3Client(access, {
    // The bucket may be in another region than SES.
    followRegionRedirects: true,
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
