import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { entities } from './entities/index.ts';
import { attachLookupPool } from './lookup-pool.ts';
import { migrations } from './migrations/index.ts';

export type Em = EntityManager;
export type Orm = MikroORM;

/** Enough for two batches at a time of each kind of hot request. */
const mostLookupConnections = 6;

export interface DatabaseOptions {
  url: string;
  /** Most connections of this process. */
  poolSize: number;
  /** Told of broken connections, which the pool replaces by itself. */
  warn: (message: string) => void;
}

/** The object-relational mapper over a pool of connections; nothing is connected before the first query. */
export function createOrm(options: DatabaseOptions): Orm {
  const lookupPoolSize = Math.max(1, Math.min(mostLookupConnections, Math.floor(options.poolSize / 3)));
  return new MikroORM({
    clientUrl: options.url,
    entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName: 'schema_migrations',
      allOrNothing: true,
      snapshot: false,
    },
    pool: { min: 0, max: Math.max(2, options.poolSize - lookupPoolSize), idleTimeoutMillis: 60_000 },
    driverOptions: {
      // The mapper takes host, user and database out of the URL and drops the rest, such as `sslmode`.
      connectionString: options.url,
      application_name: 'posthaste',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      // Instants as Date in raw rows; the mapper's own parsers would leave them as text.
      types: new pg.TypeOverrides(),
      onPoolCreated: (pool: pg.Pool) => attachLookupPool(pool, lookupPoolSize, options.warn),
    },
    logger: (message) => options.warn(message),
    colors: false,
  });
}

/** Advisory lock that lets one process at a time migrate; the number is arbitrary and only ours. */
const migrationLock = 7_367_001;

/**
 * Brings the schema up to date. Safe with many processes at once: one does the work, the others wait for it.
 */
export async function migrateDatabase(orm: Orm, url: string): Promise<void> {
  const guard = new pg.Client({ connectionString: url, application_name: 'posthaste-migration' });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    await orm.migrator.up();
  } finally {
    await guard.end();
  }
}
