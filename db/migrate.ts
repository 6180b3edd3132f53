import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Orm } from './orm.ts';

/** Advisory lock that lets one process at a time migrate; the number is arbitrary and only ours. */
const migrationLock = 7_367_001;
/** A migration that waits for a table makes everybody else wait behind it. */
const lockTimeoutMs = 3_000;
const pauseMs = 2_000;
const attempts = 60;

/**
 * Brings the schema up to date, in one transaction. Safe with many processes at once: one does the work, the others
 * wait for it. A migration may take as long as it needs, but waits for a table only for a moment: then everything is
 * rolled back, others get their turn, and it begins again.
 *
 * @throws pg.DatabaseError `55P03` when a table was held for five minutes
 */
export async function migrateDatabase(orm: Orm, url: string): Promise<void> {
  const guard = new pg.Client({ connectionString: url, application_name: 'posthaste-migration' });
  await guard.connect();
  try {
    await guard.query('set lock_timeout = 0; set statement_timeout = 0');
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await migrate(orm);
        return;
      } catch (error) {
        if (!isLockTimeout(error) || attempt >= attempts) throw error;
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
    await orm.migrator.up({ transaction: em.getTransactionContext() });
  });
}

/** SQLSTATE 55P03, also wrapped by the mapper. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}
