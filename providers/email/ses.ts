import { GetAccountCommand, type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { formatMailbox } from '../../core/addresses/mailbox.ts';
import { classifySesError } from './classify-ses-error.ts';
import type { EmailProvider, HandOver, OutgoingEmail } from './email-provider.ts';

const rateRefreshMs = 60 * 60 * 1000;

function toCommand(email: OutgoingEmail, configurationSet: string): SendEmailCommand {
  return new SendEmailCommand({
    FromEmailAddress: formatMailbox(email.from),
    Destination: { ToAddresses: [formatMailbox(email.to)] },
    ...(email.replyTo === null ? {} : { ReplyToAddresses: [email.replyTo] }),
    ConfigurationSetName: configurationSet,
    EmailTags: [
      { Name: 'emailId', Value: email.emailId },
      { Name: 'projectId', Value: email.projectId },
    ],
    Content: {
      Simple: {
        Subject: { Data: email.subject, Charset: 'UTF-8' },
        Body: {
          Html: { Data: email.html, Charset: 'UTF-8' },
          Text: { Data: email.text, Charset: 'UTF-8' },
        },
        Headers: Object.entries(email.headers).map(([Name, Value]) => ({ Name, Value })),
        Attachments: email.attachments.map((file) => ({
          RawContent: file.bytes,
          FileName: file.filename,
          ContentType: file.contentType,
          ContentDisposition: file.disposition === 'inline' ? 'INLINE' : 'ATTACHMENT',
          ContentTransferEncoding: 'BASE64',
          ...(file.cid === null ? {} : { ContentId: file.cid }),
        })),
      },
    },
  });
}

/** Hands emails over to Amazon SES (API v2, `SendEmail` with `Content.Simple`). */
export function createSesProvider(client: SESv2Client, configurationSet: string): EmailProvider {
  let granted: { ratePerSecond: number | null; readAt: number } | undefined;

  return {
    name: 'ses',
    async handOver(email): Promise<HandOver> {
      try {
        const answer = await client.send(toCommand(email, configurationSet));
        if (answer.MessageId === undefined)
          return { outcome: 'unknown', reason: 'SES answered without a message id' };
        return { outcome: 'accepted', messageId: answer.MessageId };
      } catch (error) {
        return classifySesError(error);
      }
    },
    async grantedRatePerSecond() {
      if (granted !== undefined && Date.now() - granted.readAt < rateRefreshMs) return granted.ratePerSecond;
      const account = await client.send(new GetAccountCommand({}));
      granted = { ratePerSecond: account.SendQuota?.MaxSendRate ?? null, readAt: Date.now() };
      return granted.ratePerSecond;
    },
    async close() {
      client.destroy();
    },
  };
}
