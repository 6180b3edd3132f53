import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../../db/migrate.ts';
import { createOrm } from '../../db/orm.ts';
import { startPostgres } from '../../local/postgres.ts';
import { startTemporal } from '../../local/temporal.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePort } from '../../local/testing/free-port.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser access to the Postgres of this test run, database `posthaste` (migrated, used as template). */
    databaseUrl: string;
    /** `host:port` of the Temporal dev server of this test run. */
    temporalAddress: string;
  }
}

/**
 * One real Postgres for the whole run, without fsync, and one real Temporal server. Each test file works in a copy
 * of the migrated database and on a task queue of its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-test-'));
  const cluster = path.join(directory, 'postgres');
  await mkdir(cluster, { recursive: true });
  const temporalBinary = await findTemporalBinary({ environment: process.env });
  const [postgres, temporal] = await Promise.all([
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
  ]);
  const orm = createOrm({ url: postgres.url, poolSize: 2, warn: () => undefined });
  await migrateDatabase(orm, postgres.url);
  await orm.close();
  project.provide('databaseUrl', postgres.url);
  project.provide('temporalAddress', temporal.address);
  return async () => {
    await Promise.all([postgres.stop(), temporal.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
}
