import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../../db/migrate.ts';
import { createOrm } from '../../db/orm.ts';
import { startClickHouse } from '../../local/clickhouse.ts';
import { startPostgres } from '../../local/postgres.ts';
import { startTemporal } from '../../local/temporal.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePort } from '../../local/testing/free-port.ts';
import { createTemporalClient } from '../../temporal/client/connect.ts';
import { ensureSchedules, scheduleIds } from '../../temporal/client/schedules.ts';
import { clickhousePassword } from './clickhouse.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser URL of the test run's Postgres, database `posthaste` (migrated, used as the template). */
    databaseUrl: string;
    /** `host:port`. */
    temporalAddress: string;
    /** The ClickHouse server that holds the databases of the test files. */
    clickhouseUrl: string;
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const endNow = () => process.exit(1);

/** The servers of a run write half a gigabyte; keep a wide margin. */
const memoryNeeded = 4_000_000_000;

/**
 * Creates a folder that everybody may read, because when run by root, Postgres runs as another user. It is deleted when
 * this process ends.
 */
async function createFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(path.join(parent, 'posthaste-test-'));
  await chmod(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** In memory if there is enough: copying a database then takes half the time. */
async function createServerFolder(): Promise<string> {
  const memory = '/dev/shm';
  const space = await statfs(memory).catch(() => undefined);
  const isRoomy =
    (space?.bavail ?? 0) * (space?.bsize ?? 0) > memoryNeeded && process.availableMemory() > memoryNeeded;
  return createFolder(isRoomy ? memory : tmpdir());
}

async function migrate(url: string): Promise<void> {
  const orm = createOrm({ url, poolSize: 2, warn: () => undefined });
  await migrateDatabase(orm, url);
  await orm.close();
}

/**
 * Pauses the schedules; the products of the run leave them paused. Each test then runs the sweeps and rounds that it
 * needs, and no other run interferes. The products also share the schedules, so only the last one to start would get
 * the runs.
 */
async function pauseSchedules(address: string): Promise<void> {
  const client = createTemporalClient({ TEMPORAL_ADDRESS: address });
  await ensureSchedules(client, 'paused', {
    SEGMENT_ROUND_INTERVAL_SECONDS: 86_400,
    SEGMENT_COMPUTE_INTERVAL_MINUTES: 1440,
    SEGMENT_COUNT_INTERVAL_MINUTES: 1440,
  });
  await Promise.all(scheduleIds.map((id) => client.schedule.getHandle(id).pause()));
  await client.connection.close();
}

/**
 * Starts one real Postgres without fsync, one real Temporal server and one real ClickHouse for the whole run. Each test
 * file has its own copy of the migrated database, its own task queue and its own ClickHouse database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Vitest handles signals only after the setup. Before that, a signal would end the process without `exit`.
  for (const signal of signals) process.on(signal, endNow);
  const directory = await createServerFolder();
  // Workers and their children put their files here, so that those of interrupted processes are removed too.
  process.env.TMPDIR = await createFolder(tmpdir());
  const cluster = path.join(directory, 'postgres');
  await mkdir(cluster, { recursive: true });
  const temporalBinary = await findTemporalBinary({ environment: process.env });
  const [postgres, temporal, clickhouse] = await Promise.all([
    startPostgres({
      directory: cluster,
      port: await freePort(),
      password: 'test',
      log: () => undefined,
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
    }),
    startTemporal({
      binary: temporalBinary,
      directory: path.join(directory, 'temporal'),
      port: await freePort(),
      uiPort: await freePort(),
      log: () => undefined,
    }),
    startClickHouse({
      directory: path.join(directory, 'clickhouse'),
      port: await freePort(),
      password: clickhousePassword,
      memoryLimitBytes: 2_000_000_000,
      log: () => undefined,
    }),
  ]);
  await Promise.all([migrate(postgres.url), pauseSchedules(temporal.address)]);
  project.provide('databaseUrl', postgres.url);
  project.provide('temporalAddress', temporal.address);
  project.provide('clickhouseUrl', clickhouse.url);
  for (const signal of signals) process.off(signal, endNow);
  return async () => {
    await Promise.all([postgres.stop(), temporal.stop(), clickhouse.stop()]);
  };
}
