import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Config } from '../../core/config/schema.ts';
import { warnTo } from '../../runtime/logger.ts';
import { openTracing } from '../../runtime/open-tracing.ts';
import { prepareDatabase } from '../../runtime/prepare-database.ts';
import { createProductMetrics } from '../../runtime/product-metrics.ts';
import { openResources, type Resources } from '../../runtime/resources.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { startProbes } from './probes.ts';

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** What a worker process opens before it connects to Temporal: probes, and a database that is ready. */
export async function openFoundation(
  config: Config,
  environment: Resources['environment'],
  log: Logger,
  shutdown: Shutdown,
) {
  const tracing = await openTracing(config, 'posthaste-worker', warnTo(log), shutdown);
  const resources = await openResources(config, environment, log, shutdown, 'worker', tracing);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createProductMetrics(registry, resources.orm, warnTo(log));
  let state = () => 'STARTING';
  await startProbes(
    { host: config.HOST, port: config.METRICS_PORT, registry, isReady: () => state() === 'RUNNING' },
    shutdown,
  );
  await prepareDatabase(resources.orm, config.DATABASE_URL, log);
  return {
    resources,
    metrics,
    watchState(read: () => string) {
      state = read;
    },
  };
}
