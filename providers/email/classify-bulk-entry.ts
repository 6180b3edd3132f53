import type { BulkEmailEntryResult } from '@aws-sdk/client-sesv2';
import type { HandOver } from './email-provider.ts';
import { failureText } from './failure-text.ts';

const second = 1_000;
const minute = 60 * second;

/**
 * Retryable statuses of an entry, with the pauses of the same errors in `classify-ses-error.ts`.
 * Source: Amazon SES API v2 reference, `BulkEmailEntryResult`.
 */
const pauses = new Map<string, number>([
  ['TRANSIENT_FAILURE', 5 * second],
  ['ACCOUNT_THROTTLED', second],
  ['ACCOUNT_DAILY_QUOTA_EXCEEDED', 10 * minute],
  ['ACCOUNT_SUSPENDED', minute],
  ['ACCOUNT_SENDING_PAUSED', minute],
  ['CONFIGURATION_SET_SENDING_PAUSED', minute],
  ['CONFIGURATION_SET_NOT_FOUND', minute],
  ['INVALID_SENDING_POOL_NAME', minute],
  ['TEMPLATE_NOT_FOUND', minute],
]);
const refusals = new Set([
  'MESSAGE_REJECTED',
  'MAIL_FROM_DOMAIN_NOT_VERIFIED',
  'INVALID_PARAMETER',
  'FAILED',
]);

export function classifyBulkEntry(result: BulkEmailEntryResult | undefined): HandOver {
  const status = result?.Status;
  if (result === undefined || status === undefined) {
    return { outcome: 'unknown', reason: 'SES returned no result for this email' };
  }
  if (status === 'SUCCESS') {
    if (result.MessageId !== undefined) return { outcome: 'accepted', messageId: result.MessageId };
    return { outcome: 'unknown', reason: 'SES answered without a message id' };
  }
  const reason = failureText(result.Error === undefined ? status : `${status}: ${result.Error}`);
  const retryInMs = pauses.get(status);
  if (retryInMs !== undefined) return { outcome: 'later', reason, retryInMs };
  return refusals.has(status) ? { outcome: 'refused', reason } : { outcome: 'unknown', reason };
}
