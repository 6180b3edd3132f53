import { lookup } from 'node:dns/promises';
import { hostAndPort } from '../../core/config/urls.ts';
import { DatabaseListener } from '../../db/database-listener.ts';
import { warnTo } from '../../runtime/logger.ts';
import { openClickHouse, prepareClickHouse } from '../../runtime/open-clickhouse.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { pingTemporal } from '../client/connect.ts';
import { openTemporal } from '../client/open-temporal.ts';
import type { CampaignThread } from './campaign-thread/campaign-thread.ts';
import type { Foundation } from './open-foundation.ts';
import { startJournal } from './start-journal.ts';
import { startProcessWorkers } from './start-process-workers.ts';
import { installTemporalRuntime } from './temporal-runtime.ts';

/** Starts the rest of a worker process. */
export async function runWorkerProcess(
  foundation: Foundation,
  campaigns: CampaignThread,
  shutdown: Shutdown,
) {
  const { metrics } = foundation;
  const { config, log } = foundation.resources;
  const { HOST: host, TEMPORAL_METRICS_PORT: metricsPort } = config;
  // The SDK takes addresses only.
  const { address } = await lookup(host);
  installTemporalRuntime(log, metricsPort === 0 ? undefined : hostAndPort(address, metricsPort));
  const clickhouse = openClickHouse(config, shutdown);
  const resources = { ...foundation.resources, ...openTemporal(foundation.resources, shutdown) };
  metrics.watchTemporal((timeoutMs) => pingTemporal(resources.temporal, timeoutMs));
  resources.relay.start();
  const listener = new DatabaseListener({ databaseUrl: config.DATABASE_URL, warn: warnTo(log) });
  listener.onCommands(resources.relay.wakeLane);
  listener.onCampaignStarted((campaignId) => campaigns.begin(campaignId));
  listener.start();
  shutdown.add('notifications', () => listener.close());
  const wakeJournal = startJournal(resources, { clickhouse, metrics }, shutdown);
  void prepareClickHouse(clickhouse, config, log, shutdown);
  const parts = { metrics, clickhouse, wakeJournal };
  const running = await startProcessWorkers(resources, parts, campaigns, shutdown);
  foundation.watchState(running.state);
  log.info('the worker is running');
  return running;
}
