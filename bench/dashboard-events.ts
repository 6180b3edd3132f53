import type { ClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { fillEvents } from './analytics-data.ts';
import { campaignSeconds } from './dashboard-emails.ts';
import type { Figure } from './report.ts';

/** Fills ClickHouse for the dashboard's pages. */
export async function fillDashboardEvents(
  clickhouse: ClickHouse,
  projectId: string,
  events: number,
): Promise<Figure> {
  await migrateClickHouse(clickhouse);
  const startedAt = performance.now();
  await fillEvents(clickhouse, events, { projectId, campaignSeconds });
  await clickhouse.close();
  return {
    work: `${events.toLocaleString('en-US')} events written`,
    value: (performance.now() - startedAt) / 1000,
    unit: 's',
  };
}
