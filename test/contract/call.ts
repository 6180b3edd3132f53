/** The variable parts of a request. */
export interface Call {
  params?: Record<string, string>;
  /** Without `?`. */
  query?: string;
  /** Sent as JSON, text as it is. */
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
}
