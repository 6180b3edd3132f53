import { GetAccountCommand, type Message, type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { formatMailbox } from '../../core/addresses/mailbox.ts';
import { providerAnswerSeconds } from '../../core/claim-times.ts';
import { sanitizeHeaderValue } from '../../core/headers/header-text.ts';
import { wholeText } from '../../core/rendering/pieced-text.ts';
import { type BulkCall, maxEntries, planBulkCalls } from './bulk-calls.ts';
import { classifyBulkEntry } from './classify-bulk-entry.ts';
import { classifySesError } from './classify-ses-error.ts';
import type { EmailProvider, HandOver, OutgoingEmail, Stop } from './email-provider.ts';
import { failureText } from './failure-text.ts';
import { createGrantedRate } from './granted-rate.ts';
import { handOverEach, notBegun } from './hand-over-each.ts';
import { buildMime } from './mime-message.ts';
import { maxConnections } from './ses-client.ts';
import { fitsSimpleContent, toSimpleHeaders } from './simple-content.ts';
import { uploadSecondsOf } from './upload-seconds-of.ts';

function toSimpleContent(email: OutgoingEmail): Message {
  const headers = toSimpleHeaders(email.headers) ?? [];
  const text = wholeText(email.text);
  return {
    Subject: { Data: sanitizeHeaderValue(email.subject), Charset: 'UTF-8' },
    Body: {
      Html: { Data: wholeText(email.html), Charset: 'UTF-8' },
      ...(text.trim() === '' ? {} : { Text: { Data: text, Charset: 'UTF-8' } }),
    },
    ...(headers.length > 0 && { Headers: headers }),
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
  };
}

async function toCommand(email: OutgoingEmail, configurationSet: string): Promise<SendEmailCommand> {
  const isSimple = fitsSimpleContent(email);
  return new SendEmailCommand({
    FromEmailAddress: formatMailbox(email.from),
    Destination: { ToAddresses: [formatMailbox(email.to)] },
    // Raw MIME has its own Reply-To header.
    ...(email.replyTo !== null &&
      isSimple && { ReplyToAddresses: [formatMailbox({ email: email.replyTo })] }),
    ConfigurationSetName: configurationSet,
    EmailTags: [
      { Name: 'emailId', Value: email.emailId },
      { Name: 'projectId', Value: email.projectId },
    ],
    Content: isSimple ? { Simple: toSimpleContent(email) } : { Raw: { Data: await buildMime(email) } },
  });
}

const isForbidden = (error: unknown) => error instanceof Error && error.name === 'AccessDeniedException';

/**
 * Amazon SES (API v2): one email by `SendEmail`, many by `SendBulkEmail`; SES builds the MIME. Emails beyond its
 * limits (`fitsSimpleContent`) are sent alone as raw MIME.
 *
 * @param client of `createSesClient`
 * @param account of `createSesAccountClient`
 * @param longestCallMs also ends an answer that trickles in without exceeding the client's timeouts
 */
export function createSesProvider(
  client: SESv2Client,
  account: SESv2Client,
  configurationSet: string,
  longestCallMs = providerAnswerSeconds * 1000,
): EmailProvider {
  function inTime(uploadMs = 0) {
    const limitMs = longestCallMs + uploadMs;
    const abortSignal = AbortSignal.timeout(limitMs);
    return uploadMs === 0 ? { abortSignal } : { abortSignal, requestTimeout: limitMs };
  }

  async function handOver(email: OutgoingEmail): Promise<HandOver> {
    let command: SendEmailCommand;
    try {
      command = await toCommand(email, configurationSet);
    } catch (error) {
      return { outcome: 'refused', reason: failureText(error) };
    }
    try {
      const { MessageId } = await client.send(command, inTime(uploadSecondsOf(email) * 1000));
      if (MessageId === undefined) return { outcome: 'unknown', reason: 'SES answered without a message id' };
      return { outcome: 'accepted', messageId: MessageId };
    } catch (error) {
      return classifySesError(error);
    }
  }

  async function callInBulk({ emails, command }: BulkCall, stop: Stop): Promise<HandOver[]> {
    if (stop.aborted) return emails.map(() => notBegun);
    try {
      const { BulkEmailEntryResults: results = [] } = await client.send(command, inTime());
      return emails.map((_, index) => classifyBulkEntry(results[index]));
    } catch (error) {
      const failure = classifySesError(error);
      // One malformed entry fails the call, and SES does not name it. A policy may allow only single calls.
      if (failure.outcome === 'refused' || isForbidden(error)) return handOverEach(emails, stop, handOver);
      return emails.map(() => failure);
    }
  }

  return {
    name: 'ses',
    emailsPerCall: maxEntries,
    callsAtOnce: maxConnections,
    handOver,
    async handOverMany(emails, stop): Promise<HandOver[]> {
      const { calls, single } = planBulkCalls(emails, configurationSet);
      const answers = new Map<OutgoingEmail, HandOver>();
      const note = (handedOver: readonly OutgoingEmail[], outcomes: HandOver[]) => {
        for (const [index, outcome] of outcomes.entries()) {
          const email = handedOver[index];
          if (email !== undefined) answers.set(email, outcome);
        }
      };
      for (const call of calls) note(call.emails, await callInBulk(call, stop));
      note(single, await handOverEach(single, stop, handOver));
      return emails.map((email) => answers.get(email) ?? notBegun);
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
