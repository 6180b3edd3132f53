import { z } from 'zod';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import { countColumn, instantColumn, type Question } from '../analytics/client/question.ts';
import { migrations } from '../analytics/migrations/index.ts';
import type { Config } from '../core/config/schema.ts';
import { type JournalLag, measureLag } from '../journal/lag.ts';
import { loadPosition } from '../journal/position.ts';
import { clickHouseOf } from '../runtime/open-clickhouse.ts';
import { checkSpace } from './configuration.ts';
import { type Finding, presentAge, presentBytes, reporter } from './finding.ts';
import { checkClock } from './postgres.ts';
import type { ReadOnly } from './read-only.ts';

const report = reporter('ClickHouse');
const timeoutMs = 5_000;
const oldestTested = 26;

type None = Record<string, never>;

const server: Question<None, { version: string; now: Date }> = {
  name: 'doctor-server',
  sql: `SELECT version() AS version, now64(3, 'UTC') AS now`,
  row: z.object({ version: z.string(), now: instantColumn }),
  timeoutMs,
};
const tables: Question<None, { table: string; bytes: number }> = {
  name: 'doctor-tables',
  sql: `SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts
WHERE active AND database = currentDatabase() GROUP BY table ORDER BY bytes DESC LIMIT 5`,
  row: z.object({ table: z.string(), bytes: countColumn }),
  timeoutMs,
};
const disks: Question<None, { name: string; free: number; total: number }> = {
  name: 'doctor-disks',
  sql: `SELECT name, toFloat64(free_space) AS free, toFloat64(total_space) AS total FROM system.disks
WHERE type = 'Local' LIMIT 5`,
  row: z.object({ name: z.string(), free: z.number(), total: z.number() }),
  timeoutMs,
};
const applied: Question<None, { version: number }> = {
  name: 'doctor-migrations',
  sql: 'SELECT DISTINCT version FROM schema_migration LIMIT 10000',
  row: z.object({ version: countColumn }),
  timeoutMs,
};

export async function checkClickHouse(config: Config): Promise<Finding[]> {
  const clickhouse = clickHouseOf(config);
  if (!clickhouse.isConfigured) {
    return [report.warning('none is configured: activity and analytics answer 503', 'Set CLICKHOUSE_URL.')];
  }
  try {
    return await examine(clickhouse);
  } finally {
    await clickhouse.close();
  }
}

async function examine(clickhouse: ClickHouse): Promise<Finding[]> {
  const askedAt = Date.now();
  const [answer] = await clickhouse.query(server, {});
  const answeredAt = Date.now();
  if (answer === undefined) throw new Error('no answer');
  const largest = await clickhouse.query(tables, {});
  const spaces = await clickhouse.query(disks, {});
  return [
    Number.parseInt(answer.version, 10) >= oldestTested
      ? report.ok(`${answer.version} answers`)
      : report.warning(
          `${answer.version} answers but is older than the versions Posthaste is tested with`,
          `Upgrade to ${oldestTested} or later.`,
        ),
    checkClock(report, answer.now, askedAt, answeredAt),
    await checkItsMigrations(clickhouse),
    report.ok(
      `largest tables: ${largest.map(({ table, bytes }) => `${table} ${presentBytes(bytes)}`).join(', ') || 'none yet'}`,
    ),
    ...spaces.map(({ name, free, total }) => checkSpace(report, `its disk "${name}"`, free, total)),
  ];
}

async function checkItsMigrations(clickhouse: ClickHouse): Promise<Finding> {
  const done = new Set((await clickhouse.query(applied, {})).map(({ version }) => version));
  const pending = migrations.filter(({ version }) => !done.has(version));
  const newest = Math.max(...migrations.map(({ version }) => version));
  if (pending.length > 0) {
    return report.error(
      `${pending.length} migrations are pending`,
      'A running API or worker applies them; its log says why it could not.',
    );
  }
  if ([...done].some((version) => version > newest)) {
    return report.error('its tables are newer than this version', 'Run the newer version.');
  }
  return report.ok('all migrations are applied');
}

const lateSeconds = 60;
const refusedDays = 7;

export async function checkStream({ within }: ReadOnly): Promise<Finding[]> {
  const stream = reporter('Stream');
  const lag = await within(async (client) => measureLag(client, await loadPosition(client), new Date()));
  const refused = presentRefused(lag);
  const text = `${lag.rowsBehind} events behind, the oldest ${presentAge(lag.secondsBehind)} old`;
  if (lag.secondsBehind < lateSeconds) {
    return refused ?? [stream.ok(lag.rowsBehind === 0 ? 'ClickHouse has everything' : text)];
  }
  return [
    ...(refused ?? []),
    stream.error(text, 'Is a worker running, and does ClickHouse accept rows? docs: "The stream lags".'),
  ];
}

function presentRefused({ refusedRows, refusedAt }: JournalLag): Finding[] | undefined {
  const secondsAgo = (Date.now() - (refusedAt?.getTime() ?? 0)) / 1_000;
  if (secondsAgo > refusedDays * 86_400) return undefined;
  return [
    reporter('Stream').warning(
      `ClickHouse refused ${refusedRows} events, the last ${presentAge(secondsAgo)} ago: it has them without their data, or not at all`,
      'The log of the worker names them. docs: "The stream lags".',
    ),
  ];
}
