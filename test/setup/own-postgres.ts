import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrateDatabase } from '../../db/migrate.ts';
import { createOrm } from '../../db/orm.ts';
import { startPostgres } from '../../local/postgres.ts';
import { freePort } from '../../local/testing/free-port.ts';
import { describeDatabase, type TestDatabase } from './database.ts';

/** A Postgres as durable as in production; a test may crash it. */
export interface CrashablePostgres {
  /** The role is superuser. */
  readonly url: string;
  /**
   * SIGQUIT is `pg_ctl stop -m immediate`: no checkpoint, all connections cut. SIGKILL ends only the postmaster, and
   * its backends once they notice.
   */
  crash(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A Postgres with the tables of Posthaste. */
export interface OwnPostgres extends CrashablePostgres, TestDatabase {}

export async function startCrashablePostgres(
  changes: Record<string, string> = {},
): Promise<CrashablePostgres> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-postgres-'));
  const cluster = path.join(directory, 'postgres');
  await mkdir(cluster);
  const options = {
    directory: cluster,
    port: await freePort(),
    password: 'test',
    log: () => undefined,
    settings: { shared_buffers: '64MB', max_wal_size: '256MB', ...changes },
  };
  let server = await startPostgres(options);
  return {
    url: server.url,
    async crash(signal = 'SIGQUIT') {
      process.kill(server.pid, signal);
      await server.exited;
    },
    async restart() {
      server = await startPostgres(options);
    },
    async close() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function startOwnPostgres(changes: Record<string, string> = {}): Promise<OwnPostgres> {
  const postgres = await startCrashablePostgres(changes);
  const orm = createOrm({ url: postgres.url, poolSize: 3, warn: () => undefined });
  await migrateDatabase(orm, postgres.url);
  return {
    ...postgres,
    ...describeDatabase(postgres.url, orm, async () => {
      await orm.close();
      await postgres.close();
    }),
  };
}
