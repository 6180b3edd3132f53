import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { entities } from './entities/index.ts';
import { createLookupPool } from './lookup-pool.ts';
import { migrations } from './migrations/index.ts';
import { releaseBrokenConnections } from './release-broken-connections.ts';
import { onConnect, type StatementLimits } from './session-settings.ts';

export type Em = EntityManager;
export type Orm = MikroORM;

/** Enough for two batches at a time of each kind of hot request. */
const mostLookupConnections = 6;

export interface DatabaseOptions {
  url: string;
  /** Most connections of this process. */
  poolSize: number;
  limits?: StatementLimits;
  /** Told of broken connections, which the pool replaces by itself. */
  warn: (message: string) => void;
}

const lookupPools = new WeakMap<object, pg.Pool>();

/**
 * The object-relational mapper over two pools of connections, the second one for prepared statements; nothing is
 * connected before the first query.
 */
export function createOrm(options: DatabaseOptions): Orm {
  const lookupPoolSize = Math.max(1, Math.min(mostLookupConnections, Math.floor(options.poolSize / 3)));
  // The relay's two lanes hold one each while Temporal answers.
  const poolSize = Math.max(3, options.poolSize - lookupPoolSize);
  const settings = {
    // The mapper takes host, user and database out of the URL and drops the rest, such as `sslmode`.
    connectionString: options.url,
    application_name: 'posthaste',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  };
  const orm = new MikroORM({
    clientUrl: options.url,
    entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName: 'schema_migrations',
      allOrNothing: true,
      snapshot: false,
    },
    pool: { min: 0, max: poolSize },
    // Instants as Date in raw rows; the mapper's own parsers would leave them as text.
    driverOptions: {
      ...settings,
      types: new pg.TypeOverrides(),
      onConnect: onConnect(options.limits),
      onPoolCreated: releaseBrokenConnections,
    },
    // The database is the operator's to create.
    ensureDatabase: false,
    logger: (message) => options.warn(message),
    colors: false,
  });
  const lookupPool = createLookupPool({ ...settings, max: lookupPoolSize }, options.limits, options.warn);
  lookupPools.set(orm.config, lookupPool);
  const closeMapper = orm.close.bind(orm);
  orm.close = async (force) => {
    await Promise.all([closeMapper(force), lookupPool.end()]);
  };
  return orm;
}

/** The pool for prepared statements, of an entity manager that comes from `createOrm`. */
export function lookupPoolOf(em: Em): pg.Pool {
  const pool = lookupPools.get(em.config);
  if (pool === undefined) throw new Error('The entity manager is not one of createOrm');
  return pool;
}
