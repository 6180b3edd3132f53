import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { countColumn, type Question } from './client/question.ts';
import { type Migration, migrations } from './migrations/index.ts';

/**
 * Merges duplicate records of a migration. ClickHouse has neither transactions nor locks for DDL, so concurrent
 * processes are safe only because every statement is idempotent.
 */
const ledger = `CREATE TABLE IF NOT EXISTS schema_migration (
  version UInt32,
  name String,
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree
ORDER BY version`;

const appliedVersions: Question<Record<string, never>, { version: number }> = {
  name: 'applied-migrations',
  sql: 'SELECT DISTINCT version FROM schema_migration',
  row: z.object({ version: countColumn }),
};

const ledgerTarget = { table: 'schema_migration', columns: ['version', 'name'] };

/**
 * Applies pending migrations and the retention; creates the database when missing. Idempotent, also with concurrent
 * processes.
 *
 * @throws ClickHouseUnavailable when the store is unreachable; applied steps stay
 */
export async function migrateClickHouse(clickhouse: ClickHouse, retention: Retention = {}): Promise<void> {
  await clickhouse.createDatabase();
  await clickhouse.command(ledger);
  const rows = await clickhouse.query(appliedVersions, {});
  const applied = new Set(rows.map((row) => row.version));
  for (const migration of migrations) {
    if (!applied.has(migration.version)) await apply(clickhouse, migration);
  }
  await applyRetention(clickhouse, retention);
}

async function apply(clickhouse: ClickHouse, migration: Migration): Promise<void> {
  for (const statement of migration.statements) await clickhouse.command(statement);
  await clickhouse.insert(ledgerTarget, `${migration.version}\t${migration.name}`);
}

/** Days to keep rows, by table; undefined keeps them indefinitely. */
export interface Retention {
  readonly event?: number | undefined;
  readonly figure?: number | undefined;
}

const tables = {
  event: { retention: 'event', age: 'toDateTime(occurred_at)' },
  event_name: { retention: 'event', age: 'toDateTime(last_at)' },
  figure: { retention: 'figure', age: 'toDateTime(occurred_at)' },
} as const;

const tableDefinition: Question<{ table: string }, { definition: string }> = {
  name: 'table-definition',
  sql: `SELECT create_table_query AS definition
    FROM system.tables
    WHERE database = currentDatabase() AND name = {table:String}`,
  row: z.object({ definition: z.string() }),
};

const ttlDays = /\bTTL [^\n]*?toIntervalDay\((\d+)\)/;

/**
 * Updates the TTL of tables whose retention has changed. Rows expire in background merges; in `event` and `figure`
 * only when their whole part has expired, at most a month later.
 */
export async function applyRetention(clickhouse: ClickHouse, retention: Retention): Promise<void> {
  for (const [table, { retention: name, age }] of Object.entries(tables)) {
    const wanted = retention[name];
    const [row] = await clickhouse.query(tableDefinition, { table });
    const found = row?.definition.match(ttlDays)?.[1];
    if (found === (wanted === undefined ? undefined : String(wanted))) continue;
    if (wanted === undefined) {
      await clickhouse.command(`ALTER TABLE ${table} REMOVE TTL`);
      continue;
    }
    if (!Number.isInteger(wanted) || wanted < 1) throw new Error(`Not a number of days: ${wanted}`);
    await clickhouse.command(`ALTER TABLE ${table} MODIFY TTL ${age} + toIntervalDay(${wanted})`);
  }
}
