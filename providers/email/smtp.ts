import type { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { classifySmtpError } from './classify-smtp-error.ts';
import type { EmailProvider, HandOver, OutgoingEmail } from './email-provider.ts';
import { handOverEach } from './hand-over-each.ts';
import { toMimeMessage } from './mime-message.ts';

export interface SmtpTimeouts {
  connectMs: number;
  silenceMs: number;
  totalMs: number;
}

const defaultTimeouts: SmtpTimeouts = { connectMs: 10_000, silenceMs: 20_000, totalMs: 30_000 };

/**
 * Sends through a pool of kept connections.
 *
 * @param url `smtp://` (STARTTLS when offered) or `smtps://`, with user, password and port; its query sets further
 * nodemailer options, such as `?maxConnections=2&tls.rejectUnauthorized=false`
 */
export function createSmtpProvider(url: string, timeouts: SmtpTimeouts = defaultTimeouts): EmailProvider {
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: 8,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
    // Requeues only messages not yet started, whose idle connection was closed.
    maxRequeues: 2,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Content streams of messages in progress, keyed by signal, the only object that both sides see.
  const contents = new WeakMap<AbortSignal, Readable>();
  transport.use('stream', ({ data, message }, done) => {
    message.processFunc((content) => {
      if (data.signal !== undefined) contents.set(data.signal, content);
      return content;
    });
    done();
  });

  async function handOver(email: OutgoingEmail): Promise<HandOver> {
    const messageId = `${email.emailId}@${domainOfAddress(email.from.email)}`;
    const signal = AbortSignal.timeout(timeouts.totalMs);
    try {
      await transport.sendMail({ ...toMimeMessage(email), messageId: `<${messageId}>`, signal });
      return { outcome: 'accepted', messageId };
    } catch (error) {
      return classifySmtpError(error, contents.get(signal)?.readableDidRead === true);
    }
  }

  return {
    name: 'smtp',
    handOver,
    // SMTP sends one message at a time.
    handOverMany: (emails, signal) => handOverEach(emails, signal, handOver),
    async grantedRatePerSecond() {
      return null;
    },
    async close() {
      transport.close();
    },
  };
}
