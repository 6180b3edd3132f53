/** Where a caller stands in its trace, in the terms of W3C Trace Context. */
export interface TracePosition {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Bit 0: the trace is recorded. */
  readonly traceFlags: number;
}

/** Lets a tracer see the batches, whose callers stand in traces of their own. */
export interface BatchTrace {
  /** Where the caller of `submit` stands; undefined outside of a trace. */
  here(): TracePosition | undefined;
  /** Runs one batch; `callers` are those of its items, in their order. */
  around<R>(callers: readonly (TracePosition | undefined)[], run: () => Promise<R>): Promise<R>;
}
