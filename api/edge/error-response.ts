import { HttpError } from 'koa';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { isDatabaseAway, isTimedOut } from '../../db/database-away.ts';
import { isLostRace } from '../../db/database-errors.ts';

const statuses = {
  VALIDATION_ERROR: 422,
  INVALID_JSON: 400,
  BAD_REQUEST: 400,
  INVALID_IDEMPOTENCY_KEY: 400,
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  PROJECT_DISABLED: 403,
  SENDER_DOMAIN_REFUSED: 403,
  BILLING_LIMIT_EXCEEDED: 402,
  NOT_FOUND: 404,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies Record<ErrorCode, number>;

export const statusOf = (code: ErrorCode): number => statuses[code];

/** The contract's example answers an unverified sender domain with this code; `details.reason` names the cause. */
export const publicCodeOf = (code: ErrorCode): ErrorCode =>
  code === 'SENDER_DOMAIN_REFUSED' ? 'INTERNAL_SERVER_ERROR' : code;

/** The client disconnected while its request was being read: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Why a streamed answer failed after its status was sent, so that its connection breaks. */
export class AnswerBroken extends Error {
  override readonly name = 'AnswerBroken';
}

const retryAfterSeconds = 5;

/** Codes for the statuses that middleware passes to `ctx.throw`; any other 4xx is `BAD_REQUEST`. */
const refusals: Partial<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMIT_EXCEEDED',
};

/**
 * Maps any error to a `DomainError`: a 4xx from `ctx.throw` keeps its message; an unreachable or slow database, or one
 * that aborted the transaction to end a deadlock, becomes `SERVICE_UNAVAILABLE`; any unknown error becomes
 * `INTERNAL_SERVER_ERROR` without internal details.
 */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof HttpError && error.expose) {
    return new DomainError(refusals[error.status] ?? 'BAD_REQUEST', error.message, { cause: error });
  }
  if (isTimedOut(error)) return unavailable('The database took too long for this request', error);
  if (isLostRace(error)) return unavailable('Another request changed the same records', error);
  if (isDatabaseAway(error)) return unavailable('The service is not available right now', error);
  return new DomainError('INTERNAL_SERVER_ERROR', 'An unexpected error occurred', {
    suggestion: 'Contact support with the requestId if it happens again.',
    cause: error,
  });
}

function unavailable(message: string, cause: unknown): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds, cause });
}

export function errorEnvelope(error: DomainError, requestId: string) {
  return {
    success: false,
    error: {
      code: publicCodeOf(error.code),
      message: error.message,
      statusCode: statusOf(error.code),
      requestId,
      errors: error.issues,
      details: error.details,
      suggestion: error.suggestion,
    },
    timestamp: new Date().toISOString(),
  };
}
