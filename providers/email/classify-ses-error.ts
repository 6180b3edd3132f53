import { SESv2ServiceException } from '@aws-sdk/client-sesv2';
import type { FailedHandOver } from './email-provider.ts';
import { failureText } from './failure-text.ts';
import { UnsentCall } from './unsent-call.ts';

const second = 1_000;
const minute = 60 * second;

/**
 * Retryable errors, with the time their cause takes to pass.
 * Sources: Amazon SES API v2 reference, `SendEmail` errors and "Common Error Types"; Amazon SES developer guide,
 * "Errors related to the sending quotas for your Amazon SES account".
 */
const pauses = new Map<string, number>([
  // Throttled.
  ['TooManyRequestsException', second],
  ['ThrottlingException', second],
  ['Throttling', second],
  // The account or configuration set is barred from sending for now.
  ['SendingPausedException', minute],
  ['AccountSuspendedException', minute],
  ['LimitExceededException', minute],
  // Needs an operator: the configuration set is missing, or the clock is wrong.
  ['NotFoundException', minute],
  ['RequestExpired', minute],
  ['RequestTimeTooSkewed', minute],
]);
// The quota covers a sliding 24 hours, so some of it is freed all the time.
const dailyQuotaPauseMs = 10 * minute;

// Statuses that concern the caller or the moment, never the email.
const statusPauses = new Map([
  [401, minute],
  [403, minute],
  [404, minute],
  [407, minute],
  [408, 5 * second],
  [429, second],
  [503, 10 * second],
]);

const noConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_\w+|DEPTH_ZERO_\w+|ERR_TLS_CERT_\w+)$/;

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}

// True when nothing, or not the whole request, was sent.
function isUnsent(error: unknown): boolean {
  if (error instanceof UnsentCall) return true;
  const message = error instanceof Error ? error.message : '';
  return (
    readField(error, 'syscall') === 'connect' ||
    noConnection.test(String(readField(error, 'code'))) ||
    message.includes('did not establish a connection') ||
    message.includes('before secure TLS connection was established')
  );
}

/**
 * Classifies a failed call: `refused` only by an answer of SES itself, `later` only when nothing was sent or the
 * answer proves it, otherwise `unknown`.
 */
export function classifySesError(error: unknown): FailedHandOver {
  const reason = failureText(error instanceof UnsentCall ? error.cause : error);
  if (isUnsent(error)) return { outcome: 'later', reason, retryInMs: 5 * second };

  const status = readField(readField(error, '$metadata'), 'httpStatusCode');
  if (typeof status !== 'number') return { outcome: 'unknown', reason };
  const isOfSes = error instanceof SESv2ServiceException && error.name !== 'Unknown';
  const namedPause = isOfSes ? pauses.get(error.name) : undefined;
  const pause = namedPause ?? statusPauses.get(status);
  if (pause !== undefined) {
    const isDaily = /daily .*quota/i.test(reason);
    return { outcome: 'later', reason, retryInMs: isDaily ? dailyQuotaPauseMs : pause };
  }
  if (status < 400 || status >= 500) return { outcome: 'unknown', reason };
  // A proxy that answers for SES accepted nothing, and its answer does not concern the email.
  return isOfSes ? { outcome: 'refused', reason } : { outcome: 'later', reason, retryInMs: minute };
}
