import type { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import { domainOfAddress } from '../../core/addresses/email-address.ts';
import type { EmailProvider, FailedHandOver, HandOver, OutgoingEmail } from './email-provider.ts';
import { failureText } from './failure-text.ts';
import { handOverEach } from './hand-over-each.ts';
import { toMimeMessage } from './mime-message.ts';
import { uploadSecondsOf } from './upload-seconds-of.ts';

export interface SmtpTimeouts {
  connectMs: number;
  silenceMs: number;
  totalMs: number;
}

const usualConnections = 8;
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
    maxConnections: usualConnections,
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
    const signal = AbortSignal.timeout(timeouts.totalMs + uploadSecondsOf(email) * 1000);
    try {
      await transport.sendMail({ ...toMimeMessage(email), messageId: `<${messageId}>`, signal });
      return { outcome: 'accepted', messageId };
    } catch (error) {
      return classifySmtpError(error, contents.get(signal)?.readableDidRead === true);
    }
  }

  return {
    name: 'smtp',
    emailsPerCall: 1,
    callsAtOnce: Number(new URL(url).searchParams.get('maxConnections')) || usualConnections,
    handOver,
    handOverMany: (emails, signal) => handOverEach(emails, signal, handOver),
    async grantedRatePerSecond() {
      return null;
    },
    async close() {
      transport.close();
    },
  };
}

const pauseMs = 30_000;
// Of the last 24 hours, so it frees up all the time. Gmail refuses beyond it with 550.
const dailyLimit = /\bdaily\b.*\b(?:limit|quota)\b/i;
const dailyLimitPauseMs = 10 * 60_000;
// A reply to these commands may concern the email: 5xx refuses it, 4xx defers it. Elsewhere it concerns the session.
const emailCommands = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);
// Bad sequence, authentication required or too weak, encryption required: configuration errors.
const setUpReplies = new Set([503, 530, 534, 538]);

interface SmtpFailure {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
}

/**
 * Classifies a failed SMTP session: a 5xx reply about the email is a refusal, any other failing reply is retried, also
 * that a daily limit is reached.
 * Without a reply it depends on whether any of the message was sent.
 * Source: RFC 5321, 4.2.1 "Reply Code Severities and Theory", 4.5.3.2.6 and 6.1.
 *
 * @param hasLeft whether any byte of the message was read for sending
 */
export function classifySmtpError(error: unknown, hasLeft: boolean): FailedHandOver {
  const reason = failureText(error);
  const failure: SmtpFailure = typeof error === 'object' && error !== null ? error : {};
  const { code, command, responseCode } = failure;
  if (typeof responseCode === 'number') {
    // Without addresses, which a reply may quote: one may contain these words.
    if (dailyLimit.test(reason.replaceAll(/\S+@\S+/g, '')))
      return { outcome: 'later', reason, retryInMs: dailyLimitPauseMs };
    const isOfEmail = emailCommands.has(String(command)) && !setUpReplies.has(responseCode);
    return isOfEmail && responseCode >= 500
      ? { outcome: 'refused', reason }
      : { outcome: 'later', reason, retryInMs: pauseMs, backsOff: isOfEmail };
  }
  if (hasLeft) return { outcome: 'unknown', reason };
  // Raised by nodemailer itself: too large for the server, or no valid address.
  if (code === 'EMESSAGE' || code === 'EENVELOPE') return { outcome: 'refused', reason };
  return { outcome: 'later', reason, retryInMs: pauseMs };
}
