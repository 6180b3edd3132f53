import type { Logger } from 'pino';
import { type ClickHouse, connectClickHouse, withoutClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import type { Config } from '../core/config/schema.ts';
import { pause } from '../core/pause.ts';
import type { Shutdown } from './shutdown.ts';

const longestRetryMs = 30_000;

export function clickHouseOf(config: Config): ClickHouse {
  if (config.CLICKHOUSE_URL === undefined) return withoutClickHouse();
  return connectClickHouse({
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
  });
}

export function openClickHouse(config: Config, shutdown: Shutdown): ClickHouse {
  const clickhouse = clickHouseOf(config);
  shutdown.add('ClickHouse', () => clickhouse.close());
  return clickhouse;
}

/**
 * Migrates the ClickHouse tables. Retries while ClickHouse is down, so a process starts without it; only code that
 * reads or writes there has to wait. Without one, only says so. Ends with the process.
 */
export async function prepareClickHouse(
  clickhouse: ClickHouse,
  config: Config,
  log: Logger,
  shutdown: Shutdown,
): Promise<void> {
  if (!clickhouse.isConfigured) {
    log.warn(
      'No ClickHouse is configured: activity and analytics answer 503, and the journal stays in Postgres',
    );
    return;
  }
  const stopping = new AbortController();
  const { signal } = stopping;
  shutdown.add('preparations', async () => stopping.abort());
  const retention = {
    event: config.ANALYTICS_EVENT_RETENTION_DAYS || undefined,
    figure: config.ANALYTICS_FIGURE_RETENTION_DAYS || undefined,
  };
  for (let pauseMs = 500; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestRetryMs)) {
    try {
      await migrateClickHouse(clickhouse, retention);
      return;
    } catch (err) {
      if (signal.aborted) return;
      log.warn({ err }, 'ClickHouse is not ready; trying again');
      await pause(pauseMs, signal);
    }
  }
}
