import { z } from 'zod';

const common = {
  MessageId: z.uuid(),
  TopicArn: z.string().min(1).max(512),
  Message: z.string(),
  Timestamp: z.iso.datetime(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.base64(),
  SigningCertURL: z.url(),
};

/**
 * A message that Amazon SNS posts to an HTTPS subscription.
 * Source: Amazon SNS developer guide, "Parsing Amazon SNS message formats".
 */
export const snsMessageSchema = z.discriminatedUnion('Type', [
  z.object({ ...common, Type: z.literal('Notification'), Subject: z.string().nullish() }),
  z.object({
    ...common,
    Type: z.literal('SubscriptionConfirmation'),
    Token: z.string(),
    SubscribeURL: z.url(),
  }),
  z.object({
    ...common,
    Type: z.literal('UnsubscribeConfirmation'),
    Token: z.string(),
    SubscribeURL: z.url(),
  }),
]);

export type SnsMessage = z.output<typeof snsMessageSchema>;

/**
 * The text that the signature of a message covers: names and values of fixed fields, each on a line.
 * Source: Amazon SNS developer guide, "Verifying the signatures of Amazon SNS messages".
 */
export function signedText(message: SnsMessage): string {
  const fields: [string, string][] =
    message.Type === 'Notification'
      ? [
          ['Message', message.Message],
          ['MessageId', message.MessageId],
          ...(typeof message.Subject === 'string' ? [['Subject', message.Subject] as [string, string]] : []),
          ['Timestamp', message.Timestamp],
          ['TopicArn', message.TopicArn],
          ['Type', message.Type],
        ]
      : [
          ['Message', message.Message],
          ['MessageId', message.MessageId],
          ['SubscribeURL', message.SubscribeURL],
          ['Timestamp', message.Timestamp],
          ['Token', message.Token],
          ['TopicArn', message.TopicArn],
          ['Type', message.Type],
        ];
  return fields.map(([name, value]) => `${name}\n${value}\n`).join('');
}
