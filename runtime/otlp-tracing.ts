import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
} from '@opentelemetry/semantic-conventions';
import type { BatchTrace, TracePosition } from '../db/batching/batch-trace.ts';

export interface OtlpTracingOptions {
  /** Base URL of the collector; `/v1/traces` is appended. */
  endpoint: string;
  serviceName: string;
  failed: (error: unknown) => void;
}

/** Span attributes: ids, counts, names. Never an address, a body, or an error message. */
export type SpanFacts = Record<string, string | number | string[] | undefined>;

interface SpanDescription<R> {
  name: string;
  facts: SpanFacts;
  isCall?: boolean;
  /** The span belongs to the trace of this email, linked to the active one. */
  emailId?: string;
  result?: (result: R) => SpanFacts;
}

const maxLinks = 100;

/**
 * Sends spans as JSON over OTLP/HTTP. Without global state: the active span is tracked per instance. The exporter
 * itself reads `OTEL_EXPORTER_OTLP_HEADERS` and similar variables from the environment.
 */
export function createOtlpTracing(options: OtlpTracingOptions) {
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = reportingLosses(new OTLPTraceExporter({ url }), options.failed);
  const ids = new SettableIds();
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: options.serviceName })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
    idGenerator: ids,
  });
  return { tracing: new OtlpTracing(provider.getTracer('posthaste'), ids), flush: () => provider.shutdown() };
}

/** Undefined everywhere while tracing is off, so that it costs nothing. */
export type Tracing = OtlpTracing;

class OtlpTracing {
  readonly #tracer: Tracer;
  readonly #ids: SettableIds;
  readonly #active = new AsyncLocalStorage<Span>();

  constructor(tracer: Tracer, ids: SettableIds) {
    this.#tracer = tracer;
    this.#ids = ids;
  }

  /** @param traceparent request header whose trace is continued; ignored when malformed */
  request(method: string, traceparent: unknown) {
    // Without `tracestate`, which the caller controls.
    const remote = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
    const span = this.#tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { [ATTR_HTTP_REQUEST_METHOD]: method } },
      remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }),
    );
    return {
      traceId: span.spanContext().traceId,
      run: <R>(work: () => R): R => this.#active.run(span, work),
      end: (facts: RequestFacts) => endRequest(span, method, facts),
    };
  }

  /** Runs `work` in a child span of the active one. Errors mark the span as failed and are rethrown. */
  span<R>({ name, facts, isCall, emailId, result }: SpanDescription<R>, work: () => Promise<R>): Promise<R> {
    const active = this.#active.getStore()?.spanContext();
    const parent = emailId === undefined ? active : { ...rootOf(emailId), isRemote: true };
    const links = emailId === undefined || active === undefined ? [] : [{ context: active }];
    const span = this.#tracer.startSpan(
      name,
      { kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: facts, links },
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    return this.#runIn(span, work, result && ((value) => span.setAttributes(result(value))));
  }

  /** A batch is a child of its first caller's span and linked to the others. */
  batches(name: string): BatchTrace {
    return {
      here: () => this.#active.getStore()?.spanContext(),
      around: (callers, run) => {
        const known = callers.filter((caller) => caller !== undefined);
        const parent = known.find(isRecorded) ?? known[0];
        const links = known.filter((caller) => caller !== parent).slice(0, maxLinks);
        const span = this.#tracer.startSpan(
          `batch ${name}`,
          { attributes: { 'posthaste.items': callers.length }, links: links.map((context) => ({ context })) },
          parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
        );
        return this.#runIn(span, run);
      },
    };
  }

  /** Begins the trace of each email, linked to the active span. The trace's id is the email's, without dashes. */
  emailsAccepted(emailIds: readonly string[]): void {
    const active = this.#active.getStore()?.spanContext();
    if (active !== undefined && !isRecorded(active)) return;
    const links = active === undefined ? [] : [{ context: active }];
    for (const emailId of emailIds.slice(0, maxLinks)) {
      const attributes = { 'posthaste.email.id': emailId };
      this.#ids
        .using(rootOf(emailId), () =>
          this.#tracer.startSpan('email accepted', { attributes, links }, ROOT_CONTEXT),
        )
        .end();
    }
  }

  emailEvent(emailId: string, kind: string): void {
    const facts = { 'posthaste.email.id': emailId };
    void this.span({ name: `provider event ${kind}`, emailId, facts }, async () => undefined);
  }

  readonly journalInsert = <R>(rows: number, insert: () => Promise<R>): Promise<R> =>
    this.span({ name: 'journal insert', isCall: true, facts: { 'posthaste.rows': rows } }, insert);

  async #runIn<R>(span: Span, work: () => Promise<R>, succeeded?: (result: R) => void): Promise<R> {
    try {
      const result = await this.#active.run(span, work);
      succeeded?.(result);
      return result;
    } catch (error) {
      // Not the message: it may hold the values of a row.
      span.setAttribute(ATTR_ERROR_TYPE, errorType(error)).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}

/** The first span of an email's trace. Any process derives it from the email's id, even hours later. */
function rootOf(emailId: string): SpanContext {
  const traceId = emailId.replaceAll('-', '').toLowerCase();
  return { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED };
}

/** Random ids, except for the span that begins the trace of an email. */
class SettableIds extends RandomIdGenerator {
  #next: SpanContext | undefined;

  using<R>(ids: SpanContext, start: () => R): R {
    this.#next = ids;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }

  override generateTraceId(): string {
    return this.#next?.traceId ?? super.generateTraceId();
  }

  override generateSpanId(): string {
    return this.#next?.spanId ?? super.generateSpanId();
  }
}

interface RequestFacts {
  /** The pattern, never the path. */
  route: string;
  status: number;
  requestId: string;
  projectId: string | null;
}

function endRequest(span: Span, method: string, { route, status, requestId, projectId }: RequestFacts): void {
  span.updateName(`${method} ${route}`).setAttributes({
    [ATTR_HTTP_ROUTE]: route,
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    'posthaste.request.id': requestId,
    ...(projectId !== null && { 'posthaste.project.id': projectId }),
  });
  if (status >= 500) {
    span.setAttribute(ATTR_ERROR_TYPE, String(status)).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function isRecorded(position: TracePosition): boolean {
  return (position.traceFlags & TraceFlags.SAMPLED) !== 0;
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.name;
}

function reportingLosses(exporter: SpanExporter, failed: (error: unknown) => void): SpanExporter {
  let isReported = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isLost = result.code !== ExportResultCode.SUCCESS;
        if (isLost && !isReported) failed(result.error);
        isReported = isLost;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
