import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../local/testing/listen.ts';

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  arrayValue?: { values: OtlpValue[] };
}

interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

interface OtlpPayload {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: {
      spans: {
        name: string;
        kind: number;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        attributes: OtlpAttribute[];
        links?: { traceId: string; spanId: string }[];
        status: { code: number; message?: string };
      }[];
    }[];
  }[];
}

type Fact = string | number | Fact[] | undefined;

export interface ReceivedSpan {
  service: Fact;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  facts: Record<string, Fact>;
  links: { traceId: string; spanId: string }[];
  /** 0 unset, 2 error. */
  status: { code: number; message?: string };
}

export interface TestCollector {
  url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly received: string;
  close(): Promise<void>;
}

function factOf(value: OtlpValue): Fact {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(factOf);
  return value.intValue === undefined ? value.stringValue : Number(value.intValue);
}

function factsOf(attributes: OtlpAttribute[]): Record<string, Fact> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, factOf(value)]));
}

function spansOf(payload: OtlpPayload): ReceivedSpan[] {
  return payload.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map(({ name, kind, traceId, spanId, parentSpanId, attributes, links, status }) => ({
        service: factsOf(resource.attributes)['service.name'],
        name,
        kind,
        traceId,
        spanId,
        parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
        facts: factsOf(attributes),
        links: (links ?? []).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
        status,
      })),
  );
}

/** Starts a collector. A `silent` one accepts connections and never answers; a `refusing` one answers 400. */
export async function startTestCollector(
  behavior: 'answering' | 'silent' | 'refusing' = 'answering',
): Promise<TestCollector> {
  const spans: ReceivedSpan[] = [];
  let received = '';
  const server = createServer(async (request, response) => {
    if (behavior === 'silent') return;
    const body = await text(request);
    received += `${request.url}\n${JSON.stringify(request.headers)}\n${body}\n`;
    if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(body) as OtlpPayload));
    if (behavior === 'refusing') response.statusCode = 400;
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    get received() {
      return received;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
