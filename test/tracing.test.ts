import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { freePort } from '../local/testing/free-port.ts';
import { createLogger } from '../runtime/logger.ts';
import { openTracing } from '../runtime/open-tracing.ts';
import { createShutdown } from '../runtime/shutdown.ts';
import { type ReceivedSpan, startTestCollector } from './setup/collector.ts';
import { createTestDatabase } from './setup/database.ts';
import { eventually } from './setup/eventually.ts';
import { startTestProduct, type TestProduct } from './setup/product.ts';
import { createTestSender } from './setup/sender.ts';
import { startTestApi } from './setup/start-test-api.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpanId = '00f067aa0ba902b7';

async function sendOne(stack: TestProduct) {
  const sender = await createTestSender(stack.url);
  const sent = await sender.post(
    '/v1/send',
    {
      to: { email: 'ada@example.com', name: 'Augusta' },
      from: { email: `hello@${sender.domain}`, name: 'Sender name' },
      subject: 'Secret subject',
      body: '<p>Secret content for {{ firstName }}</p>',
      data: { firstName: 'Byron' },
    },
    { traceparent: `00-${traceId}-${callerSpanId}-01`, 'X-Request-Id': 'traced-request' },
  );
  expect(sent.status).toBe(200);
  const emailId: string = sent.body.data.emails[0].email;
  await eventually(
    () => sender.get('/activity'),
    (answer) => answer.body.data?.length >= 2,
  );
  return { sender, emailId };
}

it('reports each step of an email to the collector, without its content', async () => {
  const collector = await startTestCollector();
  const stack = await startTestProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` });
  const { sender, emailId } = await sendOne(stack);
  await sender.post('/domains', { domain: `other.${sender.domain}` });
  await eventually(
    () => sender.get(`/domains/project/${sender.projectId}`),
    ({ body }) => body.data.every(({ verified }: { verified: boolean }) => verified),
  );
  await fetch(`${stack.url}/health`);
  // Shutdown sends whatever the collector has not received yet.
  await stack.close();
  await collector.close();

  const find = (matches: (span: ReceivedSpan) => boolean): ReceivedSpan => {
    const found = collector.spans.find(matches);
    if (found === undefined) {
      throw new Error(`No such span among ${JSON.stringify(collector.spans.map((span) => span.name))}`);
    }
    return found;
  };
  const request = find((span) => span.facts['posthaste.request.id'] === 'traced-request');
  expect(request).toMatchObject({
    service: 'posthaste',
    name: 'POST /v1/send',
    kind: 2,
    traceId,
    parentSpanId: callerSpanId,
    status: { code: 0 },
    facts: {
      'http.request.method': 'POST',
      'http.route': '/v1/send',
      'http.response.status_code': 200,
      'posthaste.project.id': sender.projectId,
    },
  });
  expect(find((span) => span.name === 'batch send')).toMatchObject({
    traceId,
    parentSpanId: request.spanId,
    facts: { 'posthaste.items': 1 },
    links: [],
  });

  const handOver = find((span) => span.name === 'hand over to ses');
  expect(handOver).toMatchObject({
    kind: 3,
    facts: {
      'posthaste.email.id': emailId,
      'posthaste.project.id': sender.projectId,
      'posthaste.outcome': 'accepted',
    },
  });

  const accepted = find((span) => span.name === 'email accepted');
  expect(accepted).toMatchObject({
    traceId: emailId.replaceAll('-', ''),
    facts: { 'posthaste.email.id': emailId },
  });
  expect(accepted.parentSpanId ?? '').toBe('');
  expect(accepted.links).toMatchObject([{ traceId, spanId: request.spanId }]);
  const life = collector.spans.filter((span) => span.traceId === accepted.traceId);
  expect(life.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'email accepted',
      'hand over to ses',
      'provider event send',
      'provider event delivery',
    ]),
  );
  for (const span of life) if (span !== accepted) expect(span.parentSpanId).toBe(accepted.spanId);
  const delivery = find((span) => span.name === 'provider event delivery');
  expect(find((span) => span.spanId === delivery.links[0]?.spanId).name).toBe('POST /webhooks/sns');

  const relay = find((span) => span.spanId === handOver.links[0]?.spanId);
  expect(relay).toMatchObject({ name: 'relay', facts: { 'posthaste.commands': 1 } });

  const applied = find((span) => span.name === 'batch provider events');
  expect(find((span) => span.spanId === applied.parentSpanId)).toMatchObject({
    name: 'POST /webhooks/sns',
    traceId: applied.traceId,
  });
  expect(find((span) => span.name === 'journal insert').facts['posthaste.rows']).toBeGreaterThan(0);
  expect(find((span) => span.name === 'activity checkDomain').facts).toHaveProperty('posthaste.domain.id');

  expect(collector.spans.filter((span) => span.name.includes('/health'))).toEqual([]);
  for (const secret of [
    ...['ada@', 'Augusta', 'Byron', 'Secret', 'Sender name', 'hello@', 'owner@', 'example.com'],
    ...[sender.domain, sender.secretKey, sender.publicKey],
  ]) {
    expect(collector.received.toLowerCase()).not.toContain(secret.toLowerCase());
  }
});

it('names the trace in the log line', async () => {
  const collector = await startTestCollector();
  const shutdown = createShutdown(createLogger('silent'), 30_000);
  const database = await createTestDatabase();
  const environment = { APP_SECRET: 'x'.repeat(32), DATABASE_URL: database.url };
  const config = loadConfig({ ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const tracing = await openTracing(config, 'posthaste-api', () => undefined, shutdown);
  const traced = await startTestApi({ database, routes: [], services: null, tracing });
  const untraced = await startTestApi({ database, routes: [], services: null });
  const headers = { traceparent: `00-${traceId}-${callerSpanId}-01` };
  await traced.request('/openapi.json', { headers });
  await untraced.request('/openapi.json', { headers });
  // A request is logged after its answer.
  const logged = async () => traced.logLines.length + untraced.logLines.length;
  await eventually(logged, (lines) => lines >= 2);
  expect(traced.logLines).toMatchObject([{ msg: 'request', trace_id: traceId }]);
  expect(untraced.logLines).toEqual([expect.not.objectContaining({ trace_id: expect.anything() })]);
  for (const part of [traced, untraced, database]) await part.close();
  await shutdown.run();
  await collector.close();
});

it('still sends emails while the collector is down, and stops', async () => {
  const stack = await startTestProduct({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  });
  const { sender } = await sendOne(stack);
  expect((await sender.get('/activity')).body.data[0].type).toBe('email.delivered');
  await stack.close();
});
