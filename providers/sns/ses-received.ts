import { z } from 'zod';
import { verdictSchema } from '../../core/inbound/verdicts.ts';
import { cutTo } from './cut-to.ts';

const verdict = z.object({ status: verdictSchema }).optional();

// SES stores the email in S3, or includes it in the SNS message (up to 150 KB).
const action = z.discriminatedUnion('type', [
  z.object({ type: z.literal('S3'), bucketName: z.string().max(255), objectKey: z.string().max(1024) }),
  z.object({
    type: z.literal('SNS'),
    encoding: z
      .string()
      .transform((name) => (/^base64$/i.test(name) ? ('base64' as const) : ('utf8' as const)))
      .default('utf8'),
  }),
]);

/**
 * A received email, announced by the SNS action of a receipt rule or the topic of its S3 action; limited to the
 * fields we read. Long values are truncated, not refused, so that no email is lost.
 * Source: Amazon SES developer guide, "Contents of notifications for Amazon SES email receiving".
 */
export const sesReceivedSchema = z.object({
  notificationType: z.literal('Received'),
  receipt: z.object({
    recipients: z.array(z.string()).default([]),
    spfVerdict: verdict,
    dkimVerdict: verdict,
    dmarcVerdict: verdict,
    spamVerdict: verdict,
    virusVerdict: verdict,
    action,
  }),
  mail: z.object({
    timestamp: z.iso.datetime({ offset: true }),
    messageId: z.string().min(1).max(255),
    // Envelope sender.
    source: z.string().default(''),
    destination: z.array(z.string()).default([]),
    headers: z.array(z.object({ name: cutTo(200), value: cutTo(16 * 1024) })).default([]),
    commonHeaders: z
      .object({
        returnPath: z.string().nullish(),
        from: z.array(z.string()).nullish(),
        subject: z.string().nullish(),
        messageId: z.string().nullish(),
      })
      .default({}),
  }),
  content: z.string().optional(),
});

export type SesReceived = z.output<typeof sesReceivedSchema>;
