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

/** `field` is a dotted path such as `attachments.0.filename`. */
export interface FieldIssue {
  field: string;
  message: string;
  code: string;
  received?: string | number | boolean | null;
}

export interface DomainErrorOptions {
  /** Shown as `error.details`; never put secrets here. */
  details?: Record<string, unknown>;
  /** By default the retry, if `retryAfterSeconds` is set. */
  suggestion?: string;
  issues?: FieldIssue[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * An error that the caller can act on. Inner layers throw it with a literal code and depend on neither HTTP nor
 * Temporal: the API edge translates the code through an exhaustive table; Temporal retries it like any error.
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
    this.issues = options.issues;
    const seconds = options.retryAfterSeconds;
    this.retryAfterSeconds = seconds;
    const retry = seconds === undefined ? undefined : `Try again in ${seconds} seconds.`;
    this.suggestion = options.suggestion ?? retry;
  }
}

/** Also for a resource of another project, so that callers can't tell the difference. */
export function notFound(resource: string): DomainError {
  return new DomainError('NOT_FOUND', `${resource} not found`);
}

/** @throws DomainError `NOT_FOUND` without a value */
export function orNotFound<Value>(value: Value, resource: string): NonNullable<Value> {
  if (value === null || value === undefined) throw notFound(resource);
  return value;
}

/** Issues that one error reports; a body can contain thousands. */
export const maxReportedIssues = 100;
const maxFieldLength = 300;

/** Shortens a path, or a part of one, to 300 characters and `…`: the keys of a request have any length. */
export function cutField(field: string): string {
  return field.length > maxFieldLength ? `${field.slice(0, maxFieldLength).toWellFormed()}…` : field;
}

/** Reports the first 100 issues, their `field` shortened. */
export function validationFailed(issues: readonly FieldIssue[]): DomainError {
  const reported = issues.slice(0, maxReportedIssues).map((issue) => ({
    ...issue,
    field: cutField(issue.field),
  }));
  return new DomainError('VALIDATION_ERROR', 'Request validation failed', { issues: reported });
}
