import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
} from '@opentelemetry/semantic-conventions';
import type { TracePosition } from '../db/batching/batch-trace.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

export interface OtlpTracingOptions {
  /** Base address of the collector; spans go to `/v1/traces` beneath it. */
  endpoint: string;
  serviceName: string;
  /** Told when spans are lost, once until they arrive again. */
  failed: (error: unknown) => void;
}

/** Other requests that a batch is linked to, at most. */
const maxLinks = 100;

/**
 * Spans over OTLP/HTTP as JSON. Nothing of it is global: which span is active is known to this instance only. The
 * exporter reads `OTEL_EXPORTER_OTLP_HEADERS` and its like from the environment itself.
 */
export function createOtlpTracing(options: OtlpTracingOptions): {
  tracing: Tracing;
  /** Sends what is left and ends. */
  flush: () => Promise<void>;
} {
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = tellingFailures(new OTLPTraceExporter({ url }), options.failed);
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: options.serviceName })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('posthaste');
  const active = new AsyncLocalStorage<Span>();

  async function runIn<R>(span: Span, work: () => Promise<R>, succeeded?: (result: R) => void): Promise<R> {
    try {
      const result = await active.run(span, work);
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

  const tracing: Tracing = {
    request(method, traceparent): RequestSpan {
      // Without `tracestate`, which is whatever the caller wrote.
      const remote = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: { [ATTR_HTTP_REQUEST_METHOD]: method } },
        remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }),
      );
      return {
        traceId: span.spanContext().traceId,
        run: (work) => active.run(span, work),
        end({ route, status, requestId, projectId }) {
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
        },
      };
    },

    span({ name, facts, isCall, result }, work) {
      const parent = active.getStore();
      const span = tracer.startSpan(
        name,
        { kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: facts },
        parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent),
      );
      return runIn(span, work, result && ((value) => span.setAttributes(result(value))));
    },

    batches: (name) => ({
      here: () => active.getStore()?.spanContext(),
      around(callers, run) {
        const known = callers.filter((caller) => caller !== undefined);
        const parent = known.find(isRecorded) ?? known[0];
        const links = known.filter((caller) => caller !== parent).slice(0, maxLinks);
        const span = tracer.startSpan(
          `batch ${name}`,
          {
            attributes: { 'posthaste.items': callers.length },
            links: links.map((context) => ({ context })),
          },
          parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
        );
        return runIn(span, run);
      },
    }),

    journalInsert: (rows, insert) =>
      tracing.span({ name: 'journal insert', isCall: true, facts: { 'posthaste.rows': rows } }, insert),
  };
  return { tracing, flush: () => provider.shutdown() };
}

function isRecorded(position: TracePosition): boolean {
  return (position.traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The code of an error, such as `23505` or `ECONNRESET`, or else its name. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.name;
}

function tellingFailures(exporter: SpanExporter, failed: (error: unknown) => void): SpanExporter {
  let wasTold = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isLost = result.code !== ExportResultCode.SUCCESS;
        if (isLost && !wasTold) failed(result.error);
        wasTold = isLost;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
