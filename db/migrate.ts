import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { indexFewAddresses } from './address-index.ts';
import { applyFunctions, columnFunctions, tableFunctions } from './apply-functions.ts';
import { isLockTimeout, isLostRace } from './database-errors.ts';
import { addPartitions } from './keep-partitions.ts';
import { openMigrationConnection } from './migration-connection.ts';
import { migrations } from './migrations/index.ts';
import type { Em, Orm } from './orm.ts';
import { dropStaleCheck, partitionFewEvents } from './partition-events.ts';
import { eventPartitions, notificationPartitions } from './partitioned-table.ts';
import { queryColumn, queryValue } from './sql.ts';

const migrationLock = 7_367_001;
/** Short, because queries on the table queue up behind a migration that waits for its lock. */
const lockTimeoutMs = 3_000;
const pauseMs = 2_000;
const attempts = 60;

/**
 * Applies pending migrations and changed functions and adds partitions, in one transaction. Safe with concurrent
 * processes: one migrates, the others wait. Statements have no timeout but wait only briefly for a table lock. When
 * that wait runs out, or after a deadlock with other queries, everything is rolled back, so that those proceed, and
 * retried. Leaves the functions alone in a database that a newer version has migrated.
 *
 * @throws pg.DatabaseError `55P03` or `40P01` after five minutes of blocked attempts
 */
export async function migrateDatabase(orm: Orm, url: string): Promise<void> {
  const guard = await openMigrationConnection(url);
  try {
    await guard.query('set lock_timeout = 0; set statement_timeout = 0');
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await migrate(orm);
        return;
      } catch (error) {
        // Others held a lock for too long, or a deadlock with processes that were working meanwhile.
        const isInTheWay = isLockTimeout(error) || isLostRace(error);
        if (!isInTheWay || attempt >= attempts) throw error;
        await delay(pauseMs);
      }
    }
  } finally {
    await guard.end();
  }
}

function migrate(orm: Orm): Promise<void> {
  return orm.em.fork().transactional(async (em) => {
    await em.execute(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0`);
    const isNewer = await isNewerThanCode(em);
    if (!isNewer) await applyFunctions(em, columnFunctions);
    await orm.migrator.up({ transaction: em.getTransactionContext() });
    if (isNewer) return;
    await applyFunctions(em, tableFunctions);
    await preparePartitions(em, new Date());
    await indexFewAddresses(em);
  });
}

/** An old process that restarts after an upgrade must not reinstall its older functions. */
async function isNewerThanCode(em: Em): Promise<boolean> {
  const isThere = await queryValue(em, z.boolean(), `select to_regclass('schema_migrations') is not null`);
  if (!isThere) return false;
  const applied = await queryColumn(em, z.string(), 'select name from schema_migrations');
  const known = new Set(migrations.map(({ name }) => name));
  return applied.some((name) => !known.has(name));
}

/** Runs in the migration transaction at process start: creates partitions for the coming days. */
export async function preparePartitions(em: Em, now: Date): Promise<void> {
  await dropStaleCheck(em, now);
  await partitionFewEvents(em, now);
  for (const table of [eventPartitions, notificationPartitions]) await addPartitions(em, table, now);
}
