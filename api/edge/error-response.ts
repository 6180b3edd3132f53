import { DomainError } from '../../core/errors.ts';
import { isDatabaseAway } from './database-away.ts';
import { publicCodeOf, statusOf } from './error-status.ts';

/** The client went away while its request was being read; there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * What a caller is told of any error: a `DomainError` as it is, a missing database as `SERVICE_UNAVAILABLE`, and
 * everything else as `INTERNAL_SERVER_ERROR`, which says nothing of the inside.
 */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isDatabaseAway(error)) {
    return new DomainError('SERVICE_UNAVAILABLE', 'The service is not available right now', {
      suggestion: 'Try again in a few seconds.',
      cause: error,
    });
  }
  return new DomainError('INTERNAL_SERVER_ERROR', 'An unexpected error occurred', {
    suggestion: 'Contact support with the requestId if it happens again.',
    cause: error,
  });
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
