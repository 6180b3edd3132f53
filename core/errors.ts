/** Every error code that the API can answer with, and what inner layers throw. */
export const errorCodes = [
  'VALIDATION_ERROR',
  'INVALID_JSON',
  'BAD_REQUEST',
  'INVALID_IDEMPOTENCY_KEY',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'PROJECT_DISABLED',
  'SENDER_DOMAIN_REFUSED',
  'BILLING_LIMIT_EXCEEDED',
  'NOT_FOUND',
  'CONFLICT',
  'IDEMPOTENCY_KEY_REUSED',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** One fault of a request field; `field` is a dotted path such as `attachments.0.filename`. */
export interface FieldIssue {
  field: string;
  message: string;
  code: string;
  /** The offending value, only when it is a scalar. */
  received?: string | number | boolean | null;
}

export interface DomainErrorOptions {
  /** Extra context for the caller, shown as `error.details`. Never put secrets in here. */
  details?: Record<string, unknown>;
  /** What the caller can do about it, shown as `error.suggestion`. */
  suggestion?: string;
  /** Field-level faults, shown as `error.errors`. */
  issues?: FieldIssue[];
  /** When another try can succeed, sent as `Retry-After`. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * A refusal that the caller can act upon. Inner layers throw it with a literal code; the API edge and the
 * activities each translate the code by an exhaustive table, so no inner layer knows HTTP or Temporal.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly suggestion: string | undefined;
  readonly issues: FieldIssue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.code = code;
    this.details = options.details;
    this.suggestion = options.suggestion;
    this.issues = options.issues;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A resource that does not exist, or belongs to another project: the caller can't tell which. */
export function notFound(resource: string): DomainError {
  return new DomainError('NOT_FOUND', `${resource} not found`);
}

/** A request that is well-formed JSON but breaks the rules of one or more fields (422). */
export function validationFailed(issues: FieldIssue[]): DomainError {
  return new DomainError('VALIDATION_ERROR', 'Request validation failed', { issues });
}
