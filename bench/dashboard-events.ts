/**
 * Fills the embedded ClickHouse for the dashboard's pages. node bench/dashboard-events.ts FOLDER PROJECT EVENTS
 * The last line of output is the figure as JSON.
 */
import { connectClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { fillEvents } from './analytics-data.ts';
import { campaignSeconds } from './dashboard-emails.ts';
import { emitFigure } from './engine-bench.ts';

const [embeddedPath = '', projectId = '', count = ''] = process.argv.slice(2);
const events = Number(count);
const clickhouse = await connectClickHouse({ embeddedPath, database: 'posthaste' });
await migrateClickHouse(clickhouse);
const startedAt = performance.now();
await fillEvents(clickhouse, events, { projectId, campaignSeconds });
await clickhouse.close();
emitFigure({
  work: `${events.toLocaleString('en-US')} events written`,
  value: (performance.now() - startedAt) / 1000,
  unit: 's',
});
