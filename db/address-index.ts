import { z } from 'zod';
import { addressIndex } from './entities/address-index.ts';
import { openMigrationConnection } from './migration-connection.ts';
import type { Em, Orm } from './orm.ts';
import { execute, queryRow } from './sql.ts';

/** A table up to this size is indexed while the migration holds its lock, in about a second. */
const smallBytes = 16 * 1024 * 1024;

const stateRow = z.object({ bytes: z.coerce.number(), isThere: z.boolean() });

/**
 * Adds the index while there are few contacts; `indexAddresses` does it for larger tables.
 *
 * @param em in a transaction with a lock timeout
 */
export async function indexFewAddresses(em: Em): Promise<void> {
  const sql = `select pg_relation_size('contacts') as bytes, to_regclass('${addressIndex.name}') is not null as "isThere"`;
  const { bytes, isThere } = await queryRow(em, stateRow, sql);
  if (isThere || bytes > smallBytes) return;
  await execute(em, `create index ${addressIndex.name} ${addressIndex.text}`);
}

/** Merges pending addresses into the index, about 13 µs each. Does nothing while another process merges. */
export async function mergePendingAddresses(em: Em): Promise<void> {
  const sql = `select gin_clean_pending_list(indexrelid) from pg_index
     where indexrelid = to_regclass('${addressIndex.name}') and indisvalid`;
  await execute(em, sql);
}

/**
 * Builds the index concurrently, in about five minutes for ten million contacts. Safe to interrupt and repeat: removes
 * what a failed attempt left behind.
 */
export async function indexAddresses(orm: Orm): Promise<void> {
  // A separate connection: without a transaction, the limits of pooled connections can't be lifted for these
  // statements.
  const client = await openMigrationConnection(orm.config.get('clientUrl') ?? '');
  try {
    const sql = `select i.indisvalid as "isValid", p.pid is not null as "isBuilding"
       from pg_index i
       left join pg_stat_progress_create_index p on p.index_relid = i.indexrelid and p.datname = current_database()
       where i.indexrelid = to_regclass('${addressIndex.name}')`;
    const { rows } = await client.query(sql);
    const [found] = z.array(z.object({ isValid: z.boolean(), isBuilding: z.boolean() })).parse(rows);
    if (found?.isValid || found?.isBuilding) return;
    await client.query('set statement_timeout = 0');
    // The server then cancels the build when this process dies.
    await client.query(`set client_connection_check_interval = '5s'`);
    if (found !== undefined) await client.query(`drop index concurrently ${addressIndex.name}`);
    await client.query(`create index concurrently ${addressIndex.name} ${addressIndex.text}`);
  } finally {
    await client.end();
  }
}
