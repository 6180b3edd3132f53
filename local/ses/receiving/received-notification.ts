import PostalMime from 'postal-mime';
import type { ReceivedRecord } from '../mail/records.ts';
import { mostNotifiedBytes, receivedBucket } from './received-mail.ts';

const mostHeaderBytes = 10 * 1024;

/** SES includes at most 10 KB of headers; empty when they can't be parsed. */
async function headersOf(raw: Buffer) {
  const end = raw.indexOf('\r\n\r\n');
  const block = raw.subarray(0, Math.min(end === -1 ? raw.length : end, mostHeaderBytes));
  const email = await PostalMime.parse(block).catch(() => undefined);
  const addresses = email?.from?.address;
  return {
    headersTruncated: end === -1 || end > mostHeaderBytes,
    headers: (email?.headers ?? []).map(({ originalKey, value }) => ({ name: originalKey, value })),
    commonHeaders: {
      returnPath: email?.returnPath,
      ...(addresses !== undefined && { from: [addresses] }),
      subject: email?.subject,
      messageId: email?.messageId,
    },
  };
}

/**
 * The notification of a received email: with its content where it fits (SNS action), otherwise with its location in the
 * bucket (S3 action).
 */
export async function toReceivedNotification(
  record: ReceivedRecord,
  raw: Buffer,
  topicArn: string,
): Promise<object> {
  const timestamp = new Date(record.at).toISOString();
  const { verdicts } = record;
  const isNotified = record.size <= mostNotifiedBytes;
  const place = isNotified
    ? { type: 'SNS', topicArn, encoding: 'BASE64' }
    : { type: 'S3', topicArn, bucketName: receivedBucket, objectKeyPrefix: '', objectKey: record.id };
  return {
    notificationType: 'Received',
    mail: {
      timestamp,
      source: record.source,
      messageId: record.id,
      destination: record.recipients,
      ...(await headersOf(raw)),
    },
    receipt: {
      timestamp,
      processingTimeMillis: 1,
      recipients: record.recipients,
      spfVerdict: { status: verdicts.spf },
      dkimVerdict: { status: verdicts.dkim },
      dmarcVerdict: { status: verdicts.dmarc },
      spamVerdict: { status: verdicts.spam },
      virusVerdict: { status: verdicts.virus },
      action: place,
    },
    ...(isNotified && { content: raw.toString('base64') }),
  };
}
