import type { Config } from '../core/config/schema.ts';
import type { Warn } from './logger.ts';
import type { Shutdown } from './shutdown.ts';
import type { Tracing } from './tracing.ts';

/** How long the end of the process waits for a collector that does not answer. */
const flushTimeoutMs = 3_000;

/**
 * Starts tracing when a collector is configured; the OpenTelemetry library is not even loaded otherwise. Spans are
 * sent in the background over OTLP/HTTP, and dropped when the collector is away. Call it before the parts of the
 * process are opened: the shutdown then sends what is left after all of them have ended.
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
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, flushTimeoutMs);
    });
    // A collector that is away is no failed end.
    await Promise.race([flush().catch(() => undefined), timeout]);
    clearTimeout(timer);
  });
  return tracing;
}
