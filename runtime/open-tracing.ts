import type { Config } from '../core/config/schema.ts';
import type { Warn } from './logger.ts';
import { orUndefinedAfter } from './or-undefined-after.ts';
import type { Tracing } from './otlp-tracing.ts';
import type { Shutdown } from './shutdown.ts';

const flushTimeoutMs = 3_000;

/**
 * Starts tracing when a collector is configured; otherwise OpenTelemetry is not even loaded. Spans are sent in the
 * background over OTLP/HTTP, and dropped while the collector is down. Call it before opening the parts of the
 * process: shutdown runs in reverse order, so the last spans are flushed after all of them.
 */
export async function openTracing(
  config: Config,
  serviceName: string,
  warn: Warn,
  shutdown: Pick<Shutdown, 'add'>,
): Promise<Tracing | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  const { tracing, flush } = createOtlpTracing({
    endpoint,
    serviceName,
    failed: (err) => warn('Spans could not be sent to the collector', err),
  });
  shutdown.add('tracing', async () => {
    // An unavailable collector does not make the shutdown fail.
    const flushed = flush().catch(() => undefined);
    await orUndefinedAfter(flushTimeoutMs, flushed);
  });
  return tracing;
}
