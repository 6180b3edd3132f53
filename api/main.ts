import { loadConfig } from '../core/config/load.ts';
import { createLogger, initialLevel, warnTo } from '../runtime/logger.ts';
import { newestDashboard } from '../runtime/newest-dashboard.ts';
import { openClickHouse, prepareClickHouse } from '../runtime/open-clickhouse.ts';
import { openTracing } from '../runtime/open-tracing.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { createProductMetrics } from '../runtime/product-metrics.ts';
import { openResources } from '../runtime/resources.ts';
import { runProcess } from '../runtime/run-process.ts';
import { openTemporal } from '../temporal/client/open-temporal.ts';
import { createApiMetrics } from './edge/metrics.ts';
import { startApi } from './start.ts';

const log = createLogger(initialLevel(process.env.LOG_LEVEL));
await runProcess(log, async (shutdown) => {
  const config = loadConfig({
    ...process.env,
    DASHBOARD_DIR: process.env.DASHBOARD_DIR || newestDashboard(),
  });
  const tracing = await openTracing(config, 'posthaste-api', warnTo(log), shutdown);
  const clickhouse = openClickHouse(config, shutdown);
  const opened = await openResources(config, process.env, log, shutdown, 'edge', tracing);
  const resources = { ...opened, ...openTemporal(opened, shutdown) };
  await prepareDatabase(resources.orm, config.DATABASE_URL, log);
  resources.relay.start();
  void prepareClickHouse(clickhouse, config, log, shutdown);
  const apiMetrics = createApiMetrics();
  const metrics = createProductMetrics(apiMetrics.registry, resources.orm, warnTo(log));
  await startApi(resources, { apiMetrics, metrics, clickhouse, wakeJournal: () => undefined }, shutdown);
});
