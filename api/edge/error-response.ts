import { DomainError } from '../../core/errors.ts';
import { isDatabaseAway, isStatementTimeout } from './database-away.ts';
import { publicCodeOf, statusOf } from './error-status.ts';

/** The client went away while its request was being read; there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const retryAfterSeconds = 5;

/**
 * The answer to any error: a `DomainError` as it is, a database that is missing or takes too long as
 * `SERVICE_UNAVAILABLE`, and everything else as `INTERNAL_SERVER_ERROR`, which says nothing of the inside.
 */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isStatementTimeout(error)) return unavailable('The database took too long for this request', error);
  if (isDatabaseAway(error)) return unavailable('The service is not available right now', error);
  return new DomainError('INTERNAL_SERVER_ERROR', 'An unexpected error occurred', {
    suggestion: 'Contact support with the requestId if it happens again.',
    cause: error,
  });
}

function unavailable(message: string, cause: unknown): DomainError {
  const suggestion = `Try again in ${retryAfterSeconds} seconds.`;
  return new DomainError('SERVICE_UNAVAILABLE', message, { suggestion, retryAfterSeconds, cause });
}

/** The JSON text of the error envelope (API contract, Errors). */
export function errorEnvelope(
  error: DomainError,
  requestId: string,
  statusCode = statusOf(error.code),
): string {
  return JSON.stringify({
    success: false,
    error: {
      code: publicCodeOf(error.code),
      message: error.message,
      statusCode,
      requestId,
      errors: error.issues,
      details: error.details,
      suggestion: error.suggestion,
    },
    timestamp: new Date().toISOString(),
  });
}
