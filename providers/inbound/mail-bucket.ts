import type { AwsAccess } from '../aws-access.ts';
import { createS3Client } from '../s3-client.ts';

export type MailBucket = ReturnType<typeof createMailBucket>;

export function createMailBucket(access: AwsAccess) {
  const withClient = createS3Client(access, {
    // The bucket may be in another region than SES.
    followRegionRedirects: true,
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    /**
     * Reads an object; `too-large` beyond `mostBytes`, after reading at most one byte more.
     *
     * @throws when the object is missing or unreadable now
     */
    async read(
      bucket: string,
      key: string,
      mostBytes: number,
      abortSignal: AbortSignal,
    ): Promise<Uint8Array | 'too-large'> {
      const object = { Bucket: bucket, Key: key, Range: `bytes=0-${mostBytes}` };
      const { Body } = await withClient((client, sdk) =>
        client.send(new sdk.GetObjectCommand(object), { abortSignal }),
      );
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return bytes.length > mostBytes ? 'too-large' : bytes;
    },
  };
}
