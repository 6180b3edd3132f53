import pg from 'pg';
import { type ChildOptions, type RunningChild, startChildProcess } from './child-process.ts';
import { LocalStackError } from './failure.ts';
import { requireFreePort } from './ports.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { clearLeftoverServer, ensureCluster, postgresEnvironment, postgresRole } from './postgres-cluster.ts';
import { commandAs, findPostgresUser } from './program-user.ts';
import { untilReady } from './until-ready.ts';

export interface PostgresOptions extends ChildOptions {
  /** Cluster folder; created when missing. One server at a time: the caller holds a lock on the data folder. */
  directory: string;
  port: number;
  password: string;
  /** Overrides our server settings, for example `{ fsync: 'off' }` in tests. */
  settings?: Record<string, string>;
  binaries?: PostgresBinaries;
}

export interface RunningPostgres extends RunningChild {
  readonly url: string;
  readonly port: number;
}

/** Sized for 2 cores and a few GB, shared with the rest of the stack. */
const defaultSettings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  wal_buffers: '16MB',
  wal_compression: 'pglz',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

const stopTimeoutMs = 20_000;

export function postgresUrl(port: number, password: string): string {
  return `postgres://${postgresRole}:${encodeURIComponent(password)}@127.0.0.1:${port}/${postgresRole}`;
}

/**
 * Starts the embedded Postgres 18 on a folder, creating cluster and database the first time. Under root the server runs
 * as another user. A server left behind by a killed run is ended first; Postgres then recovers.
 * @throws LocalStackError when the cluster can't be created, the port is taken or the server does not start
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { directory, port, password, log, onSpawn, signal } = options;
  const binaries = options.binaries ?? (await findPostgresBinaries());
  const user = findPostgresUser(directory);
  const isDurable = options.settings?.fsync !== 'off';
  await ensureCluster({ directory, password, binaries, user, isDurable, onSpawn, signal });
  await clearLeftoverServer(directory);
  await requireFreePort('POSTGRES_PORT', port);

  const settings = Object.entries({ ...defaultSettings, ...options.settings });
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', directory, '-p', String(port), ...flags];
  const how = commandAs(user, [binaries.postgres, directory], binaries.postgres, args);
  const child = await startChildProcess({
    name: 'Postgres',
    ...how,
    environment: postgresEnvironment,
    workingDirectory: '/',
    log,
    // SIGINT is Postgres's "fast" shutdown: it does not wait for clients to disconnect.
    stopSignal: 'SIGINT',
    stopTimeoutMs,
    onSpawn,
    signal,
  });
  const url = postgresUrl(port, password);
  await untilReady(child, { name: 'Postgres', isReady: () => isConnectable(url, directory), signal });
  return { ...child, url, port };
}

async function isConnectable(url: string, directory: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    // SQLSTATE 3D000 invalid_catalog_name, 28P01 invalid_password.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === '3D000') await createDatabase(url);
    if (code !== '28P01') return false;
    throw new LocalStackError(
      `The Postgres in ${directory} has a different password than the secrets.json beside it. Restore the secrets.json that belongs to it.`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createDatabase(url: string): Promise<void> {
  const administration = new URL(url);
  administration.pathname = '/postgres';
  const client = new pg.Client({ connectionString: administration.href, ssl: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`CREATE DATABASE ${postgresRole}`);
  } catch (error) {
    // Nothing else is fatal: the caller tries again, and the server's exit or the deadline reports the cause.
    if (error instanceof pg.DatabaseError && error.code !== '42P04') {
      throw new LocalStackError(`The database could not be created: ${error.message}`, { cause: error });
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}
