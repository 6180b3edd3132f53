import type { ErrorCode } from '../../core/errors.ts';

interface ErrorRule {
  status: number;
  /** The code that callers see, where it is not the inner one. */
  publicCode?: ErrorCode;
}

/** Every code and the HTTP status that it is answered with. */
const errorRules = {
  VALIDATION_ERROR: { status: 422 },
  INVALID_JSON: { status: 400 },
  BAD_REQUEST: { status: 400 },
  INVALID_IDEMPOTENCY_KEY: { status: 400 },
  MISSING_API_KEY: { status: 401 },
  INVALID_API_KEY: { status: 401 },
  UNAUTHENTICATED: { status: 401 },
  FORBIDDEN: { status: 403 },
  PROJECT_DISABLED: { status: 403 },
  // The contract's example of an unverified sender domain carries this code; `details.reason` says what it is.
  SENDER_DOMAIN_REFUSED: { status: 403, publicCode: 'INTERNAL_SERVER_ERROR' },
  BILLING_LIMIT_EXCEEDED: { status: 402 },
  NOT_FOUND: { status: 404 },
  CONFLICT: { status: 409 },
  IDEMPOTENCY_KEY_REUSED: { status: 409 },
  PAYLOAD_TOO_LARGE: { status: 413 },
  RATE_LIMIT_EXCEEDED: { status: 429 },
  INTERNAL_SERVER_ERROR: { status: 500 },
  SERVICE_UNAVAILABLE: { status: 503 },
} as const satisfies Record<ErrorCode, ErrorRule>;

/** HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return errorRules[code].status;
}

/** The code that callers see for an inner code. */
export function publicCodeOf(code: ErrorCode): ErrorCode {
  const rule: ErrorRule = errorRules[code];
  return rule.publicCode ?? code;
}
