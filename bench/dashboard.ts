import { sql } from '../db/testing/sql.ts';
import { buildDashboard } from '../local/build-dashboard.ts';
import { cpuSecondsOf } from './bench-process.ts';
import { withBenchStack } from './bench-stack.ts';
import { callsOf, measureCalls } from './dashboard-calls.ts';
import { type DashboardSize, fillDashboard } from './dashboard-data.ts';
import { fillDashboardEvents } from './dashboard-events.ts';
import { measurePages } from './dashboard-pages.ts';
import { createRecords, findIds, signUp } from './dashboard-stage.ts';
import type { BenchRun } from './report.ts';

const sizeOf = (divisor: number): DashboardSize & { events: number } => ({
  contacts: 1_000_000 / divisor,
  emails: 10_000_000 / divisor,
  executions: 100_000 / divisor,
  journal: 1_000_000 / divisor,
  events: 5_000_000 / divisor,
});

/**
 * With a minimal WAL, new indexes are not written a second time, to the log. Only reads are measured, which this does
 * not affect.
 */
export const bulkLoadSettings = { wal_level: 'minimal', max_wal_senders: '0' };

export function benchDashboard({ report, isQuick }: BenchRun): Promise<void> {
  return withBenchStack(
    async (stack) => {
      const size = sizeOf(isQuick ? 10 : 1);
      const folder = await buildDashboard({ environment: process.env, say: () => undefined });
      if (folder === undefined) throw new Error('The sources of the dashboard are missing');
      const records = await createRecords(stack);
      const clickhouse = await stack.startClickHouse();
      const startedAt = performance.now();
      await Promise.all([
        fillDashboard(stack.databaseUrl, records, size),
        fillDashboardEvents(clickhouse.connect(), stack.project.id, size.events).then(report),
      ]);
      const [database] = await sql<{ gigabytes: number }>(
        stack.orm.em.fork(),
        'select pg_database_size(current_database()) / 1e9::float8 as gigabytes',
      );
      report({
        work: `${size.contacts.toLocaleString('en-US')} contacts, ${size.emails.toLocaleString('en-US')} emails written`,
        value: (performance.now() - startedAt) / 1000,
        unit: 's',
        bar: { below: 300 },
        note: `Postgres ${database?.gigabytes.toFixed(1)} GB, ${cpuSecondsOf(stack.postgresPid).toFixed(0)} s of CPU`,
      });
      const ids = await findIds(stack, records, size);
      const api = await stack.startApi({ ...clickhouse.environment, DASHBOARD_DIR: folder });
      const url = `http://127.0.0.1:${api.port}`;
      const cookie = await signUp(stack, url);
      const headers = {
        Cookie: `${cookie.name}=${cookie.value}`,
        Origin: url,
        'X-Project-Id': stack.project.id,
      };
      const processes = { API: api.pid, Postgres: stack.postgresPid, ClickHouse: clickhouse.pid };
      for await (const figure of measureCalls(url, headers, callsOf(ids), processes)) report(figure);
      for (const figure of await measurePages(url, stack.project.id, cookie)) report(figure);
    },
    { settings: bulkLoadSettings },
  );
}
