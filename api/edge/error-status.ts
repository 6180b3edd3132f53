import type { ErrorCode } from '../../core/errors.ts';

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
