import type { FailedHandOver } from './email-provider.ts';
import { failureText } from './failure-text.ts';

const pauseMs = 30_000;
// A 5xx reply to these commands refuses the email; elsewhere it concerns the session.
const emailCommands = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);
// Bad sequence, authentication required or too weak, encryption required: configuration errors.
const setUpReplies = new Set([503, 530, 534, 538]);

interface SmtpFailure {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
}

/**
 * Classifies a failed SMTP session: a 5xx reply about the email is a refusal, any other failing reply is retried.
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
    const isRefusal =
      responseCode >= 500 && emailCommands.has(String(command)) && !setUpReplies.has(responseCode);
    return isRefusal ? { outcome: 'refused', reason } : { outcome: 'later', reason, retryInMs: pauseMs };
  }
  if (hasLeft) return { outcome: 'unknown', reason };
  // Raised by nodemailer itself: too large for the server, or no valid address.
  if (code === 'EMESSAGE' || code === 'EENVELOPE') return { outcome: 'refused', reason };
  return { outcome: 'later', reason, retryInMs: pauseMs };
}
