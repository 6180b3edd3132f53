import nodemailer from 'nodemailer';
import type { EmailProvider, HandOver, OutgoingEmail } from './email-provider.ts';

/** Where a conversation with the server broke off before the message itself was sent. */
const beforeMessage = new Set(['CONN', 'EHLO', 'HELO', 'STARTTLS', 'AUTH', 'MAIL FROM', 'RCPT TO', 'API']);
const notConnected = new Set([
  'ECONNREFUSED',
  'EDNS',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ETLS',
  'EAUTH',
  'ECONNECTION',
]);

function field(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}

/** What a failed SMTP conversation means: a 5xx reply is a refusal, a 4xx a try later, silence is unknown. */
export function classifySmtpError(error: unknown): Exclude<HandOver, { outcome: 'accepted' }> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500);
  const responseCode = field(error, 'responseCode');
  const code = String(field(error, 'code') ?? '');
  const command = String(field(error, 'command') ?? '');
  if (notConnected.has(code)) return { outcome: 'later', reason, retryInMs: 30_000 };
  if (typeof responseCode === 'number' && responseCode >= 500) return { outcome: 'refused', reason };
  if (typeof responseCode === 'number' && responseCode >= 400) {
    return { outcome: 'later', reason, retryInMs: 30_000 };
  }
  if (beforeMessage.has(command)) return { outcome: 'later', reason, retryInMs: 30_000 };
  return { outcome: 'unknown', reason };
}

function toMessage(email: OutgoingEmail) {
  const mailbox = (address: { email: string; name: string | null }) =>
    address.name === null ? address.email : { name: address.name, address: address.email };
  return {
    from: mailbox(email.from),
    to: mailbox(email.to),
    ...(email.replyTo === null ? {} : { replyTo: email.replyTo }),
    subject: email.subject,
    html: email.html,
    text: email.text,
    messageId: `<${email.emailId}@${email.from.email.split('@')[1] ?? 'localhost'}>`,
    headers: email.headers,
    disableFileAccess: true,
    disableUrlAccess: true,
    attachments: email.attachments.map((file) => ({
      filename: file.filename,
      content: Buffer.from(file.bytes),
      contentType: file.contentType,
      contentDisposition: file.disposition,
      ...(file.cid === null ? {} : { cid: file.cid }),
    })),
  };
}

/** Hands emails over to an SMTP server through a pool of kept connections. */
export function createSmtpProvider(url: string): EmailProvider {
  const transport = nodemailer.createTransport(
    `${url}${url.includes('?') ? '&' : '?'}pool=true&maxConnections=8&connectionTimeout=10000&socketTimeout=30000`,
  );
  return {
    name: 'smtp',
    async handOver(email): Promise<HandOver> {
      try {
        const answer = await transport.sendMail(toMessage(email));
        return { outcome: 'accepted', messageId: answer.messageId.replace(/^<|>$/g, '') };
      } catch (error) {
        return classifySmtpError(error);
      }
    },
    async grantedRatePerSecond() {
      return null;
    },
    async close() {
      transport.close();
    },
  };
}
