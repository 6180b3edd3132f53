import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { createOrm, migrateDatabase } from '../../db/orm.ts';
import { startPostgres } from '../../local/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser access to the Postgres of this test run, database `posthaste` (migrated, used as template). */
    databaseUrl: string;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}

/** One real Postgres for the whole run, without fsync; each test file works in a copy of its migrated database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-test-'));
  const cluster = path.join(directory, 'postgres');
  await mkdir(cluster, { recursive: true });
  const postgres = await startPostgres({
    directory: cluster,
    port: await freePort(),
    password: 'test',
    log: () => undefined,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  const orm = createOrm({ url: postgres.url, poolSize: 2, warn: () => undefined });
  await migrateDatabase(orm, postgres.url);
  await orm.close();
  project.provide('databaseUrl', postgres.url);
  return async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
