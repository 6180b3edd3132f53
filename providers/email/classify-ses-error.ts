import { SESv2ServiceException } from '@aws-sdk/client-sesv2';
import type { FailedHandOver } from './email-provider.ts';
import { failureText } from './failure-text.ts';

const second = 1_000;
const minute = 60 * second;

/**
 * Errors of SES that say: not this time. The pause is what its cause takes to go away.
 * Sources: Amazon SES API v2 reference, `SendEmail` errors and "Common Error Types"; Amazon SES developer guide,
 * "Errors related to the sending quotas for your Amazon SES account".
 */
const pauses = new Map<string, number>([
  // Throttled.
  ['TooManyRequestsException', second],
  ['ThrottlingException', second],
  ['Throttling', second],
  // The account or the configuration set may not send for now.
  ['SendingPausedException', minute],
  ['AccountSuspendedException', minute],
  ['LimitExceededException', minute],
  // An operator has to mend the set-up: the configuration set is not there, or the clock is wrong.
  ['NotFoundException', minute],
  ['RequestExpired', minute],
  ['RequestTimeTooSkewed', minute],
]);
/** The quota counts the last 24 hours, so a little of it comes back all the time. */
const dailyQuotaPauseMs = 10 * minute;

/** Statuses that are about the caller or the moment and never about the email. */
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

/** Whether the call failed before it could be sent: no credentials, or no connection. */
function isUnsent(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return (
    (error instanceof Error && error.name === 'CredentialsProviderError') ||
    readField(error, 'syscall') === 'connect' ||
    noConnection.test(String(readField(error, 'code'))) ||
    message.includes('did not establish a connection') ||
    message.includes('before secure TLS connection was established')
  );
}

/**
 * What a failed call to SES means for the email: only an answer of SES itself is a refusal, only a call that never
 * left or an answer that says so proves that nothing was sent, everything else is unknown.
 */
export function classifySesError(error: unknown): FailedHandOver {
  const reason = failureText(error);
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
  // A proxy that answers in the place of SES took nothing, but says nothing about the email either.
  return isOfSes ? { outcome: 'refused', reason } : { outcome: 'later', reason, retryInMs: minute };
}
