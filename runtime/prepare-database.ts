import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { migrateDatabase } from '../db/migrate.ts';
import type { Orm } from '../db/orm.ts';

const patienceMs = 60_000;

/**
 * Migrates the database, waiting up to a minute for it to respond.
 * @throws the last failure after that
 */
export async function prepareDatabase(orm: Orm, url: string, log: Logger): Promise<void> {
  orm.migrator.on('migrated', ({ name }) => log.info({ migration: name }, 'a migration ran'));
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await migrateDatabase(orm, url);
      return;
    } catch (err) {
      const code = err instanceof Error && 'code' in err ? err.code : undefined;
      // 57P03: starting up. Any other error that is not a failed connection is a real failure.
      const isAway =
        code === '57P03' || code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
      if (!isAway || performance.now() > deadline) throw err;
      log.warn({ err }, 'Postgres is not ready; trying again');
      await delay(1_000);
    }
  }
}
