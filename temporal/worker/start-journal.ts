import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { JournalStreamer } from '../../journal/streamer.ts';
import type { ProductMetrics } from '../../runtime/product-metrics.ts';
import type { Resources } from '../../runtime/resources.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';

/** Starts this process's journal stream, if there is a ClickHouse to stream to. @returns its `wake` */
export function startJournal(
  { config, log, tracing }: Pick<Resources, 'config' | 'log' | 'tracing'>,
  { clickhouse, metrics }: { clickhouse: ClickHouse; metrics: ProductMetrics },
  shutdown: Shutdown,
): () => void {
  if (!clickhouse.isConfigured) return () => undefined;
  const journal = new JournalStreamer({
    databaseUrl: config.DATABASE_URL,
    clickhouse,
    log,
    around: tracing?.journalInsert,
  });
  shutdown.add('journal', () => journal.stop());
  metrics.watchStream(() => journal.lag);
  return () => journal.wake();
}
