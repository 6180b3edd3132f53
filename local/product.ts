import type { Logger } from 'pino';
import { createApiMetrics } from '../api/edge/metrics.ts';
import { startApi } from '../api/start.ts';
import type { Config } from '../core/config/schema.ts';
import { warnTo } from '../runtime/logger.ts';
import { openClickHouse, prepareClickHouse } from '../runtime/open-clickhouse.ts';
import { openTracing } from '../runtime/open-tracing.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { createProductMetrics } from '../runtime/product-metrics.ts';
import { openDatabase, openResources } from '../runtime/resources.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import { openTemporal } from '../temporal/client/open-temporal.ts';
import type { CampaignThread } from '../temporal/worker/campaign-thread/campaign-thread.ts';
import { startJournal } from '../temporal/worker/start-journal.ts';
import { startProcessWorkers } from '../temporal/worker/start-process-workers.ts';

export interface ProductOptions {
  config: Config;
  environment: Record<string, string | undefined>;
  log: Logger;
  shutdown: Shutdown;
  campaigns: CampaignThread;
}

/**
 * Starts API, worker and journal stream in this process, on the configured Postgres, Temporal, ClickHouse and email
 * provider. Resolves when all of it works, except a ClickHouse that does not answer. Call `installTemporalRuntime`
 * first. `workerEnded` rejects when the worker ended without being stopped.
 */
export async function startProduct({ config, environment, log, shutdown, campaigns }: ProductOptions) {
  const tracing = await openTracing(config, 'posthaste', warnTo(log), shutdown);
  const clickhouse = openClickHouse(config, shutdown);
  const opened = await openResources(config, environment, log, shutdown, 'worker', tracing);
  const resources = { ...opened, ...openTemporal(opened, shutdown) };
  const preparing = prepareClickHouse(clickhouse, config, log, shutdown);
  await Promise.all([
    prepareDatabase(resources.orm, config.DATABASE_URL, log),
    // Everything else works without ClickHouse.
    clickhouse.ping().then((answers) => (answers ? preparing : undefined)),
  ]);
  campaigns.takeOver();
  resources.relay.start();
  const apiMetrics = createApiMetrics();
  const metrics = createProductMetrics(apiMetrics.registry, resources.orm, warnTo(log));
  const wakeJournal = startJournal(resources, { clickhouse, metrics }, shutdown);
  const parts = { metrics, clickhouse, wakeJournal };
  const worker = startProcessWorkers(resources, parts, campaigns, shutdown);
  const edge = { ...resources, orm: openDatabase(config, log, shutdown, 'edge') };
  const api = startApi(edge, { apiMetrics, ...parts }, shutdown);
  const [running, { url, services, databaseListener }] = await Promise.all([worker, api]);
  databaseListener.onCampaignStarted((campaignId) => campaigns.begin(campaignId));
  return { url, services, resources, workerEnded: running.ended };
}
