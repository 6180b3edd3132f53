import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { countColumn, type Question } from './client/question.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { applyRetention, type Retention } from './retention.ts';

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
