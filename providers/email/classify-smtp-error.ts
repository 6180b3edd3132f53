import type { FailedHandOver } from './email-provider.ts';
import { failureText } from './failure-text.ts';

const pauseMs = 30_000;
/** Commands whose reply is about the email: a 5xx refuses it. Elsewhere it is about the session. */
const emailCommands = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);
/** Bad sequence, authentication required, authentication too weak, encryption required: a matter of the set-up. */
const setUpReplies = new Set([503, 530, 534, 538]);

/** What nodemailer adds to its errors. */
interface SmtpFailure {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
}

/**
 * What a failed SMTP conversation means: a 5xx reply about the email is a refusal, any other failing reply a try
 * later. Without a reply all depends on whether any of the message had left.
 * Source: RFC 5321, 4.2.1 "Reply Code Severities and Theory", 4.5.3.2.6 and 6.1 on who is responsible when.
 *
 * @param hasLeft whether a byte of the message was taken to be sent
 */
export function classifySmtpError(error: unknown, hasLeft: boolean): FailedHandOver {
  const reason = failureText(error);
  const failure: SmtpFailure = typeof error === 'object' && error !== null ? error : {};
  const { code, command, responseCode } = failure;
  if (typeof responseCode === 'number') {
    const isRefusal =
      responseCode >= 500 && emailCommands.has(String(command)) && !setUpReplies.has(responseCode);
    return isRefusal ? { outcome: 'refused', reason } : { outcome: 'later', reason, retryInMs: pauseMs };
  }
  if (hasLeft) return { outcome: 'unknown', reason };
  // Without a reply these are nodemailer's own verdict: too large for the server, or no valid address.
  if (code === 'EMESSAGE' || code === 'EENVELOPE') return { outcome: 'refused', reason };
  return { outcome: 'later', reason, retryInMs: pauseMs };
}
