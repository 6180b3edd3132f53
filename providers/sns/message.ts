import { z } from 'zod';

const common = {
  // Any 128-bit id: real ones have arbitrary version and variant bits.
  MessageId: z.guid(),
  TopicArn: z.string().min(1).max(512),
  Message: z.string(),
  Timestamp: z.iso.datetime(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.base64().min(1).max(2048),
  SigningCertURL: z.url().max(2048),
};
const confirmation = { ...common, Token: z.string().min(1), SubscribeURL: z.url().max(4096) };

/**
 * A message that Amazon SNS posts to an HTTPS subscription; raw message delivery has no signature.
 * Source: Amazon SNS developer guide, "Parsing Amazon SNS message formats".
 */
export const snsMessageSchema = z.discriminatedUnion('Type', [
  z.object({ ...common, Type: z.literal('Notification'), Subject: z.string().nullish() }),
  z.object({ ...confirmation, Type: z.literal('SubscriptionConfirmation') }),
  z.object({ ...confirmation, Type: z.literal('UnsubscribeConfirmation') }),
]);

export type SnsMessage = z.output<typeof snsMessageSchema>;

const signedFields = [
  ...['Message', 'MessageId', 'Subject', 'SubscribeURL'],
  ...['Timestamp', 'Token', 'TopicArn', 'Type'],
];

/**
 * The text that the signature covers.
 * Source: Amazon SNS developer guide, "Verifying the signatures of Amazon SNS messages".
 */
export function signedText(message: SnsMessage): string {
  const values = new Map(Object.entries(message));
  const signed = signedFields.filter((name) => typeof values.get(name) === 'string');
  return signed.map((name) => `${name}\n${values.get(name)}\n`).join('');
}
