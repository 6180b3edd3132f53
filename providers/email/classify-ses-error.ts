import type { HandOver } from './email-provider.ts';

const throttled = new Set([
  'TooManyRequestsException',
  'ThrottlingException',
  'Throttling',
  'LimitExceededException',
]);
const paused = new Set(['SendingPausedException', 'AccountSuspendedException', 'ServiceUnavailable']);
const notConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Errors that say that our own credentials are wrong: nothing was sent, and an operator can mend it. */
const misconfigured = new Set([
  'CredentialsProviderError',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'ExpiredTokenException',
  'AccessDeniedException',
]);

function describe(error: unknown): {
  name: string;
  message: string;
  code: string;
  status: number | undefined;
} {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), code: '', status: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? Number(metadata.httpStatusCode)
      : undefined;
  return { name: error.name, message: error.message, code, status };
}

/**
 * What a failed call to SES means for the email: only an answer of SES itself is a refusal, only a connection
 * that never stood proves that nothing was sent, everything else is unknown.
 */
export function classifySesError(error: unknown): Exclude<HandOver, { outcome: 'accepted' }> {
  const { name, message, code, status } = describe(error);
  const reason = `${name}: ${message}`.slice(0, 500);
  if (throttled.has(name)) return { outcome: 'later', reason, retryInMs: 1_000 };
  if (paused.has(name) || status === 503) return { outcome: 'later', reason, retryInMs: 60_000 };
  if (misconfigured.has(name)) return { outcome: 'later', reason, retryInMs: 60_000 };
  if (notConnected.has(code)) return { outcome: 'later', reason, retryInMs: 5_000 };
  if (name === 'TimeoutError' && message.includes('connection')) {
    return { outcome: 'later', reason, retryInMs: 5_000 };
  }
  if (status !== undefined && status >= 400 && status < 500) return { outcome: 'refused', reason };
  return { outcome: 'unknown', reason };
}
