import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/database-away.ts';
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
      if (!isDatabaseAway(err) || performance.now() > deadline) throw err;
      log.warn({ err }, 'Postgres is not ready; trying again');
      await delay(1_000);
    }
  }
}
