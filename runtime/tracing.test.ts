import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { Batcher } from '../db/batching/batcher.ts';
import { freePort } from '../local/testing/free-port.ts';
import { startTestCollector } from '../test/setup/collector.ts';
import { createLogger, warnTo } from './logger.ts';
import { openTracing } from './open-tracing.ts';
import type { Tracing } from './otlp-tracing.ts';
import { createShutdown } from './shutdown.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

async function traceTo(endpoint: string) {
  const lines: { level: number; msg: string }[] = [];
  const log = createLogger('info', { write: (line: string) => lines.push(JSON.parse(line)) });
  const shutdown = createShutdown(log, 30_000);
  const environment = { APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://localhost/none' };
  const config = loadConfig({ ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const tracing = await openTracing(config, 'posthaste-test', warnTo(log), shutdown);
  if (tracing === undefined) throw new Error('Tracing is off');
  return { tracing, shutdown, lines };
}

function request(tracing: Tracing, id: string, work: () => Promise<unknown>) {
  const span = tracing.request('POST', undefined);
  return span.run(work).then(() => {
    span.end({ route: '/v1/track', status: 200, requestId: id, projectId: null });
  });
}

it('makes a batch the child of its first request and links it to the others', async () => {
  const collector = await startTestCollector();
  const { tracing, shutdown } = await traceTo(collector.url);
  const batcher = new Batcher<number, number>({
    run: async (items) => items,
    maxItems: 10,
    concurrency: 1,
    trace: tracing.batches('track'),
  });
  await Promise.all([1, 2, 3].map((item) => request(tracing, `request-${item}`, () => batcher.submit(item))));
  await shutdown.run();
  await collector.close();

  const [first, second, third] = [1, 2, 3].map((item) =>
    collector.spans.find((span) => span.facts['posthaste.request.id'] === `request-${item}`),
  );
  expect(new Set([first?.traceId, second?.traceId, third?.traceId]).size).toBe(3);
  expect(collector.spans.filter((span) => span.name === 'batch track')).toEqual([
    expect.objectContaining({
      traceId: first?.traceId,
      parentSpanId: first?.spanId,
      facts: { 'posthaste.items': 3 },
      links: [
        { traceId: second?.traceId, spanId: second?.spanId },
        { traceId: third?.traceId, spanId: third?.spanId },
      ],
    }),
  ]);
});

it('marks a span as failed by the kind of the error, not by its message', async () => {
  const collector = await startTestCollector();
  const { tracing, shutdown } = await traceTo(collector.url);
  const error = Object.assign(new Error('Key (email)=(ada@example.com) exists'), { code: '23505' });
  const failing = tracing.span({ name: 'step', facts: {} }, () => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
  await shutdown.run();
  await collector.close();
  expect(collector.spans).toMatchObject([{ status: { code: 2 }, facts: { 'error.type': '23505' } }]);
  expect(collector.received).not.toContain('ada@example.com');
});

it('does not record what the caller chose not to record, and ignores a malformed traceparent', async () => {
  const collector = await startTestCollector();
  const { tracing, shutdown } = await traceTo(collector.url);
  const facts = { route: '/v1/track', status: 200, requestId: 'any', projectId: null };
  const unrecorded = tracing.request('POST', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00');
  await unrecorded.run(() => tracing.span({ name: 'child', facts: {} }, async () => undefined));
  unrecorded.end(facts);
  tracing.request('POST', 'nonsense').end(facts);
  await shutdown.run();
  await collector.close();
  expect(unrecorded.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  expect(collector.spans).toMatchObject([{ name: 'POST /v1/track', parentSpanId: undefined }]);
});

describe('a collector that', () => {
  /** Timers of one process fire in their order, however busy it is. */
  async function endWith(endpoint: string) {
    const { tracing, shutdown, lines } = await traceTo(endpoint);
    await tracing.span({ name: 'step', facts: {} }, async () => undefined);
    const giveUp = new AbortController();
    const late = delay(5_000, 'too late', { signal: giveUp.signal });
    late.catch(() => undefined);
    const clean = await Promise.race([shutdown.run(), late]);
    giveUp.abort();
    return { clean, lines };
  }

  it('is down delays the end by three seconds at most', async () => {
    const { clean } = await endWith(`http://127.0.0.1:${await freePort()}`);
    expect(clean).toBe(true);
  });

  it('never answers delays the end by three seconds at most', async () => {
    const collector = await startTestCollector('silent');
    const { clean } = await endWith(collector.url);
    await collector.close();
    expect(clean).toBe(true);
  });

  it('refuses spans is logged', async () => {
    const collector = await startTestCollector('refusing');
    const { clean, lines } = await endWith(collector.url);
    await collector.close();
    expect(clean).toBe(true);
    expect(lines).toMatchObject([{ level: 40, msg: 'Spans could not be sent to the collector' }]);
  });
});

it('loads nothing of OpenTelemetry while it is off', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        if (found.url.includes('/@opentelemetry/')) loaded.push(found.url);
        return found;
      },
    });
    await import('./api/start.ts');
    await import('./temporal/worker/start-process-workers.ts');
    const { openTracing } = await import('./runtime/open-tracing.ts');
    const off = await openTracing({}, 'posthaste', undefined, undefined);
    const before = loaded.length;
    await import('./runtime/otlp-tracing.ts');
    console.log(JSON.stringify({ off: off === undefined, before, after: loaded.length }));
    process.exit(0);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
  });
  expect(JSON.parse(stdout)).toEqual({ off: true, before: 0, after: expect.toSatisfy((count) => count > 5) });
});
