import { GetAccountCommand, type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { formatMailbox } from '../../core/addresses/mailbox.ts';
import { encodeHeaderText, sanitizeHeaderValue } from '../../core/headers/header-text.ts';
import { classifySesError } from './classify-ses-error.ts';
import type { EmailProvider, HandOver, OutgoingEmail } from './email-provider.ts';
import { createGrantedRate } from './granted-rate.ts';

function toCommand(email: OutgoingEmail, configurationSet: string): SendEmailCommand {
  const headers = Object.entries(email.headers);
  return new SendEmailCommand({
    FromEmailAddress: formatMailbox(email.from),
    Destination: { ToAddresses: [formatMailbox(email.to)] },
    ...(email.replyTo === null ? {} : { ReplyToAddresses: [formatMailbox({ email: email.replyTo })] }),
    ConfigurationSetName: configurationSet,
    EmailTags: [
      { Name: 'emailId', Value: email.emailId },
      { Name: 'projectId', Value: email.projectId },
    ],
    Content: {
      Simple: {
        Subject: { Data: sanitizeHeaderValue(email.subject), Charset: 'UTF-8' },
        Body: {
          Html: { Data: email.html, Charset: 'UTF-8' },
          ...(email.text.trim() === '' ? {} : { Text: { Data: email.text, Charset: 'UTF-8' } }),
        },
        ...(headers.length > 0 && {
          Headers: headers.map(([Name, Value]) => ({ Name, Value: encodeHeaderText(Value) })),
        }),
        ...(email.attachments.length > 0 && {
          Attachments: email.attachments.map((file) => ({
            RawContent: file.bytes,
            FileName: sanitizeHeaderValue(file.filename),
            ContentType: sanitizeHeaderValue(file.contentType),
            ContentDisposition: file.disposition === 'inline' ? 'INLINE' : 'ATTACHMENT',
            ContentTransferEncoding: 'BASE64',
            ...(file.cid === null ? {} : { ContentId: sanitizeHeaderValue(file.cid) }),
          })),
        }),
      },
    },
  });
}

/**
 * Hands emails over to Amazon SES (API v2, `SendEmail` with `Content.Simple`, which makes the MIME itself).
 *
 * @param client of `createSesClient`
 * @param account of `createSesAccountClient`
 */
export function createSesProvider(
  client: SESv2Client,
  account: SESv2Client,
  configurationSet: string,
): EmailProvider {
  return {
    name: 'ses',
    async handOver(email): Promise<HandOver> {
      try {
        const { MessageId } = await client.send(toCommand(email, configurationSet));
        if (MessageId === undefined)
          return { outcome: 'unknown', reason: 'SES answered without a message id' };
        return { outcome: 'accepted', messageId: MessageId };
      } catch (error) {
        return classifySesError(error);
      }
    },
    grantedRatePerSecond: createGrantedRate(async () => {
      const { SendQuota } = await account.send(new GetAccountCommand({}));
      return SendQuota?.MaxSendRate ?? null;
    }),
    async close() {
      client.destroy();
    },
  };
}
