import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { migrateDatabase } from '../../db/migrate.ts';
import { createOrm } from '../../db/orm.ts';
import { type RunningPostgres, startPostgres } from '../../local/postgres.ts';
import { freePorts } from '../../local/testing/free-port.ts';
import { describeDatabase, type TestDatabase } from './database.ts';
import { startTcpRelay } from './tcp-relay.ts';

/** A primary and a synchronous standby behind one address, which leads to the primary. */
export interface PostgresPair extends TestDatabase {
  /** Lets new connections lead to this server; those that are open stay. */
  leadTo(which: 'primary' | 'standby'): void;
  killPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  stopStandby(): Promise<void>;
  restartStandby(): Promise<void>;
}

const password = 'test';

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthaste-pair-'));
  const [primaryPort = 0, standbyPort = 0] = await freePorts(2);
  const start = (name: string, port: number, changes: Record<string, string>) =>
    startPostgres({
      directory: path.join(folder, name),
      port,
      password,
      log: () => undefined,
      settings: { shared_buffers: '64MB', max_wal_size: '256MB', ...changes },
    });
  await (await start('primary', primaryPort, {})).stop();
  await execa('cp', ['-a', path.join(folder, 'primary'), path.join(folder, 'standby')]);
  await writeFile(path.join(folder, 'standby', 'standby.signal'), '');
  const conninfo = `host=127.0.0.1 port=${primaryPort} user=posthaste password=${password} application_name=standby`;
  const startStandby = () => start('standby', standbyPort, { primary_conninfo: conninfo });
  const primary = await start('primary', primaryPort, { synchronous_standby_names: 'standby' });
  let standby = await startStandby();
  const ports = [primaryPort];
  const line = await startTcpRelay(ports);
  const url = primary.url.replace(`:${primaryPort}/`, `:${line.port}/`);
  const orm = createOrm({ url, poolSize: 3, warn: () => undefined });
  await migrateDatabase(orm, url);
  return {
    ...describeDatabase(url, orm, async () => {
      await orm.close();
      await line.close();
      await Promise.all([primary.stop(), standby.stop()]);
      await rm(folder, { recursive: true, force: true });
    }),
    leadTo(which) {
      ports[0] = which === 'primary' ? primaryPort : standbyPort;
    },
    async killPrimary() {
      process.kill(primary.pid, 'SIGKILL');
      await primary.exited;
    },
    promoteStandby: () => promote(standby),
    stopStandby: () => standby.stop(),
    async restartStandby() {
      standby = await startStandby();
    },
  };
}

async function promote({ url }: RunningPostgres): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('select pg_promote()');
  await client.end();
}
