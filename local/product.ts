import type { Logger } from 'pino';
import { createApiMetrics } from '../api/edge/metrics.ts';
import type { Services } from '../api/edge/services.ts';
import { startApi } from '../api/start.ts';
import type { Config } from '../core/config/schema.ts';
import { startJournalStreamer } from '../journal/streamer.ts';
import { warnTo } from '../runtime/logger.ts';
import { openClickHouse, prepareClickHouse } from '../runtime/open-clickhouse.ts';
import { openTracing } from '../runtime/open-tracing.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { createProductMetrics } from '../runtime/product-metrics.ts';
import { openDatabase, openResources, type Resources } from '../runtime/resources.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import { runWorker } from '../temporal/worker/run-worker.ts';

export interface ProductOptions {
  config: Config;
  /** The environment that `config` came from; the Temporal connection reads its own variables there. */
  environment: Record<string, string | undefined>;
  log: Logger;
  /** Takes every part that was started, so that running it ends the product in order. */
  shutdown: Shutdown;
}

export interface RunningProduct {
  /** Address of the API. */
  url: string;
  services: Services;
  resources: Resources;
  /** Settles when the worker has ended; with an error when nobody asked it to. */
  workerEnded: Promise<void>;
}

/**
 * Starts API, worker and journal stream in this one process, over whichever Postgres, Temporal, ClickHouse and
 * email provider the configuration names. When it answers, all of it works. The native runtime of Temporal has to
 * be installed before (`installTemporalRuntime`).
 */
export async function startProduct({
  config,
  environment,
  log,
  shutdown,
}: ProductOptions): Promise<RunningProduct> {
  const tracing = await openTracing(config, 'posthaste', warnTo(log), shutdown);
  const stopping = new AbortController();
  const [clickhouse, resources] = await Promise.all([
    openClickHouse(config, shutdown),
    openResources(config, environment, log, shutdown, 'worker', tracing),
  ]);
  shutdown.add('preparations', async () => stopping.abort());
  await Promise.all([
    prepareDatabase(resources.orm, config.DATABASE_URL, log),
    prepareClickHouse(clickhouse, config, log, stopping.signal),
  ]);
  resources.relay.start();
  const apiMetrics = createApiMetrics();
  const metrics = createProductMetrics(apiMetrics.registry, resources.orm);
  const journal = startJournalStreamer({
    databaseUrl: config.DATABASE_URL,
    clickhouse,
    log,
    around: tracing?.journalInsert,
  });
  shutdown.add('journal', () => journal.stop());
  metrics.watchStream(() => journal.lag());
  const worker = runWorker(resources, { metrics, clickhouse, wakeJournal: journal.wake }, shutdown);
  const edge = { ...resources, orm: openDatabase(config, log, shutdown, 'edge') };
  const api = startApi(edge, { apiMetrics, metrics, clickhouse, wakeJournal: journal.wake }, shutdown);
  const [running, { url, services }] = await Promise.all([worker, api]);
  return { url, services, resources, workerEnded: running.ended };
}
