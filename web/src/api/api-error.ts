import type { components } from './schema.d.ts';
import { suggestionForPeople } from './suggestion.ts';

export type FieldIssue = components['schemas']['FieldIssue'];

/** An error response of the API, with all its details. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly issues: FieldIssue[];
  readonly suggestion: string | null;
  readonly details: Record<string, unknown>;
  /** Seconds until another request may succeed; 0 if the server did not say. */
  readonly retryAfterSeconds: number;

  constructor(
    status: number,
    requestId: string | null,
    error: Partial<components['schemas']['Error']['error']>,
    retryAfterSeconds = 0,
  ) {
    super(error.message ?? bareMessage(status));
    this.name = 'ApiError';
    this.status = status;
    this.requestId = requestId;
    this.code = error.code ?? 'UNKNOWN';
    this.issues = error.errors ?? [];
    this.suggestion = suggestionForPeople(error.suggestion);
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = (error.details as Record<string, unknown> | undefined) ?? {};
  }
}

/** The message for an answer that is not the API's, such as a proxy's while the server starts. */
function bareMessage(status: number): string {
  if (status >= 500 || status === 408)
    return `The server can’t answer right now (${status}). Try again in a moment.`;
  if (status === 413) return 'This is larger than the server accepts (413).';
  if (status === 429) return 'Too many requests at once (429). Try again in a minute.';
  return `The server refused this (${status}).`;
}

/**
 * Rejects a successful answer that did not come from the API, such as a captive portal or the empty page of a proxy.
 */
export function requireAnswer({ status, headers }: Response): void {
  if (status === 204 || /json|csv/.test(headers.get('Content-Type') ?? '')) return;
  throw new Error('The answer did not come from the server. Check the connection and try again.');
}

/** Parses the error envelope, the short `{ error }` of three create calls, and answers of a proxy. */
export async function toApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('X-Request-Id');
  // A proxy may send a date, which is left out.
  const retryAfterSeconds = Number(response.headers.get('Retry-After')) || 0;
  const body: unknown = await response.json().catch(() => null);
  if (body !== null && typeof body === 'object' && 'error' in body) {
    const { error } = body;
    if (typeof error === 'string') return new ApiError(response.status, requestId, { message: error });
    if (error !== null && typeof error === 'object')
      return new ApiError(response.status, requestId, error, retryAfterSeconds);
  }
  return new ApiError(response.status, requestId, {}, retryAfterSeconds);
}

/** Whether the server could not be reached or could not answer, so that the same call may succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiError && error.status >= 500);

/** Whether the same call may succeed a moment later: after an outage, or once the rate limit allows it. */
export const isTemporary = (error: unknown): boolean =>
  isOutage(error) || (error instanceof ApiError && error.status === 429);

/** One sentence to show the user. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError)
    return 'The server could not be reached. Check the connection and try again.';
  return error instanceof Error ? error.message : String(error);
}
