/** A W3C Trace Context: ids of 32 and 16 hex digits, and flags whose bit 0 means sampled. */
export interface TracePosition {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export interface BatchTrace {
  here(): TracePosition | undefined;
  around<R>(callers: readonly (TracePosition | undefined)[], run: () => Promise<R>): Promise<R>;
}
