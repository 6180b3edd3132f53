import type { BatchTrace } from '../db/batching/batch-trace.ts';

/** What a span tells: ids, counts, names. Never an address, a body, or the message of an error. */
export type SpanFacts = Record<string, string | number | string[] | undefined>;

export interface SpanDescription<R> {
  name: string;
  facts: SpanFacts;
  /** Whether the span is a call of something outside of the product. */
  isCall?: boolean;
  /** What the result adds. */
  result?: (result: R) => SpanFacts;
}

/** The span of one request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs `work` so that spans which it begins are children of this one. */
  run<R>(work: () => R): R;
  /** @param facts `route` is the pattern, never the path */
  end(facts: { route: string; status: number; requestId: string; projectId: string | null }): void;
}

/** Where spans begin. It is undefined everywhere while tracing is off, so that nothing is spent on it. */
export interface Tracing {
  /** @param traceparent the header of the request, whose trace is continued; a malformed one counts as none */
  request(method: string, traceparent: unknown): RequestSpan;
  /** Runs `work` in a span beneath the one that is active. The span fails with it; its error is passed on. */
  span<R>(description: SpanDescription<R>, work: () => Promise<R>): Promise<R>;
  /** A batch is a child of its first caller's span and linked to the others'. */
  batches(name: string): BatchTrace;
  journalInsert: <R>(rows: number, insert: () => Promise<R>) => Promise<R>;
}
