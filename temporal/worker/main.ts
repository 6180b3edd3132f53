import { collectDefaultMetrics, Registry } from 'prom-client';
import { loadConfig } from '../../core/config/load.ts';
import { startJournalStreamer } from '../../journal/streamer.ts';
import { createLogger, warnTo } from '../../runtime/logger.ts';
import { newestDashboard } from '../../runtime/newest-dashboard.ts';
import { openClickHouse, prepareClickHouse } from '../../runtime/open-clickhouse.ts';
import { openTracing } from '../../runtime/open-tracing.ts';
import { prepareDatabase } from '../../runtime/prepare-database.ts';
import { createProductMetrics } from '../../runtime/product-metrics.ts';
import { openResources } from '../../runtime/resources.ts';
import { runProcess } from '../../runtime/run-process.ts';
import { openTemporal } from '../client/open-temporal.ts';
import { startProbes } from './probes.ts';
import { runWorker } from './run-worker.ts';
import { installTemporalRuntime } from './temporal-runtime.ts';

/** A standalone worker process; any number may run, and one of them streams the journal. */
const log = createLogger(process.env.LOG_LEVEL ?? 'info');
await runProcess(log, async (shutdown) => {
  const config = loadConfig({
    ...process.env,
    DASHBOARD_DIR: process.env.DASHBOARD_DIR || newestDashboard(),
  });
  const { HOST: host, TEMPORAL_METRICS_PORT: metricsPort } = config;
  installTemporalRuntime(log, metricsPort === 0 ? undefined : `${host}:${metricsPort}`);
  const tracing = await openTracing(config, 'posthaste-worker', warnTo(log), shutdown);
  const stopping = new AbortController();
  const clickhouse = await openClickHouse(config, shutdown);
  const opened = await openResources(config, process.env, log, shutdown, 'worker', tracing);
  const resources = { ...opened, ...openTemporal(opened, shutdown) };
  shutdown.add('preparations', async () => stopping.abort());
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createProductMetrics(registry, resources.orm);
  const worker: { state: () => string } = { state: () => 'STARTING' };
  await startProbes(
    { host, port: config.METRICS_PORT, registry, isReady: () => worker.state() === 'RUNNING' },
    shutdown,
  );
  await prepareDatabase(resources.orm, config.DATABASE_URL, log);
  resources.relay.start();
  const journal = startJournalStreamer({
    databaseUrl: config.DATABASE_URL,
    clickhouse,
    log,
    around: tracing?.journalInsert,
  });
  shutdown.add('journal', () => journal.stop());
  metrics.watchStream(() => journal.lag());
  void prepareClickHouse(clickhouse, config, log, stopping.signal);
  const running = await runWorker(resources, { metrics, clickhouse, wakeJournal: journal.wake }, shutdown);
  worker.state = running.state;
  log.info('the worker runs');
  await running.ended;
});
