import type { BatchTrace } from '../db/batching/batch-trace.ts';

/** Span attributes: ids, counts, names. Never an address, a body, or an error message. */
export type SpanFacts = Record<string, string | number | string[] | undefined>;

export interface SpanDescription<R> {
  name: string;
  facts: SpanFacts;
  isCall?: boolean;
  /** The span belongs to the trace of this email, linked to the active one. */
  emailId?: string;
  result?: (result: R) => SpanFacts;
}

export interface RequestSpan {
  readonly traceId: string;
  run<R>(work: () => R): R;
  /** @param facts `route` is the pattern, never the path */
  end(facts: { route: string; status: number; requestId: string; projectId: string | null }): void;
}

/** Undefined everywhere while tracing is off, so that it costs nothing. */
export interface Tracing {
  /** @param traceparent request header whose trace is continued; ignored when malformed */
  request(method: string, traceparent: unknown): RequestSpan;
  /** Runs `work` in a child span of the active one. Errors mark the span as failed and are rethrown. */
  span<R>(description: SpanDescription<R>, work: () => Promise<R>): Promise<R>;
  /** A batch is a child of its first caller's span and linked to the others. */
  batches(name: string): BatchTrace;
  /** Begins the trace of each email, linked to the active span. The trace's id is the email's, without dashes. */
  emailsAccepted(emailIds: readonly string[]): void;
  emailEvent(emailId: string, kind: string): void;
  journalInsert: <R>(rows: number, insert: () => Promise<R>) => Promise<R>;
}
