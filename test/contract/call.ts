export interface Call {
  params?: Record<string, string>;
  /** Without `?`. */
  query?: string;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
}
