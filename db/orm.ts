import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { dropReadOnlyConnections } from './drop-read-only-connections.ts';
import { dropSilentConnections } from './drop-silent-connections.ts';
import { entities, projectRecords } from './entities/index.ts';
import { projectFilter } from './entities/project-em.ts';
import { migrations } from './migrations/index.ts';
import { releaseBrokenConnections } from './release-broken-connections.ts';
import { createPreparedPool, onConnect, type StatementLimits } from './session-settings.ts';
import { statementTables } from './statement-tables.ts';

export type Em = EntityManager;
export type Orm = MikroORM;

/** Enough for two concurrent batches of each kind of hot request. */
const mostPreparedConnections = 6;

/** Detects a vanished host on idle connections within 20 seconds. By default, Linux starts probing after two hours. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Connections of each pool that stay open however long they are idle. */
  keptOpen?: number;
  limits?: StatementLimits;
  /** How long a statement waits for a connection. Default 10 seconds. */
  connectionTimeoutMs?: number;
  /** How long opening a connection may take. Default 4 seconds. */
  connectMs?: number;
  /**
   * How long a connection may be silent before Postgres is asked whether its statement still runs. Default 10 seconds.
   */
  silenceMs?: number;
  /** `url` leads to a pooler in transaction mode: sessions get no settings, and hot statements are not prepared. */
  isPooler?: boolean;
  validateRows?: boolean;
  warn: (message: string) => void;
}

export type PoolName = 'statements' | 'prepared';

interface Extras {
  pools: Partial<Record<PoolName, pg.Pool>>;
  validatesRows: boolean;
}

/** What MikroORM does not keep for us, by the configuration that an instance shares with its entity managers. */
const extras = new WeakMap<object, Extras>();

/** The entities and migrations. */
const mapping = {
  entities,
  extensions: [Migrator],
  filters: {
    [projectFilter]: {
      name: projectFilter,
      entity: projectRecords,
      // A query through any entity manager other than a project's throws.
      cond: ({ projectId }: { projectId: string }) => ({ projectId }),
    },
  },
  // Don't join relations just to apply filters.
  autoJoinRefsForFilters: false,
  migrations: {
    migrationsList: migrations,
    tableName: 'schema_migrations',
    allOrNothing: true,
    snapshot: false,
    // `prepareDatabase` logs migrations; MikroORM would log them as warnings.
    silent: true,
  },
  schemaGenerator: { skipTables: statementTables },
  // The operator creates the database.
  ensureDatabase: false,
} satisfies Options;

/**
 * How many connections each pool of `createOrm` opens at most: together `poolSize`, if that is 4 or more.
 *
 * @param isPooler behind a pooler, no statements are prepared
 */
export function sizesOfPools(poolSize: number, isPooler: boolean): Record<PoolName, number> {
  const prepared = isPooler ? 0 : Math.max(1, Math.min(mostPreparedConnections, Math.floor(poolSize / 3)));
  // The relay's two lanes each hold one while Temporal answers.
  return { statements: Math.max(3, poolSize - prepared), prepared };
}

/**
 * Creates MikroORM with two connection pools, one of them for prepared statements. Connects on the first query.
 */
export function createOrm(options: DatabaseOptions): Orm {
  const sizes = sizesOfPools(options.poolSize, options.isPooler ?? false);
  const min = options.keptOpen ?? 0;
  const connectionTimeoutMillis = options.connectionTimeoutMs ?? 10_000;
  const settings = {
    // MikroORM takes host, user and database from the URL and drops the rest, such as `sslmode`.
    connectionString: options.url,
    application_name: 'posthaste',
    connectionTimeoutMillis,
    Client: clientWithin(options.connectMs ?? 4_000),
    idleTimeoutMillis: 60_000,
    ...keepAlive,
    min,
  };
  const watch = dropSilentConnections({
    url: options.url,
    isPooler: options.isPooler ?? false,
    silenceMs: options.silenceMs ?? 10_000,
    answerMs: connectionTimeoutMillis,
  });
  const pools: Extras['pools'] = {};
  const orm = new MikroORM({
    ...mapping,
    clientUrl: options.url,
    pool: { min, max: sizes.statements },
    // Raw rows return instants as Date; MikroORM's own parsers would leave them as text.
    driverOptions: {
      ...settings,
      types: new pg.TypeOverrides(),
      onConnect: options.isPooler ? undefined : onConnect(options.limits),
      onPoolCreated(pool: pg.Pool) {
        pools.statements = pool;
        releaseBrokenConnections(pool);
        dropReadOnlyConnections(pool);
        watch(pool);
      },
    },
    logger: (message) => options.warn(message),
    colors: false,
  });
  if (sizes.prepared > 0) {
    pools.prepared = createPreparedPool({ ...settings, max: sizes.prepared }, options.limits, options.warn);
    dropReadOnlyConnections(pools.prepared);
    watch(pools.prepared);
  }
  extras.set(orm.config, { pools, validatesRows: options.validateRows ?? false });
  const closeMapper = orm.close.bind(orm);
  orm.close = async (force) => {
    await Promise.all([closeMapper(force), pools.prepared?.end()]);
  };
  return orm;
}

/**
 * A client with a timeout for connecting. An attempt that begins while the host is away gets no answer even once it is
 * back, and occupies a slot of the pool, whose own timeout is as long as that of a statement.
 */
function clientWithin(connectionTimeoutMillis: number): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis });
    }
  };
}

function extrasOf({ config }: Em | Orm): Extras {
  const found = extras.get(config);
  if (found === undefined) throw new Error('The entity manager does not come from createOrm');
  return found;
}

/** @returns undefined behind a pooler */
export const preparedPoolOf = (em: Em): pg.Pool | undefined => extrasOf(em).pools.prepared;

export const validatesRows = (em: Em): boolean => extrasOf(em).validatesRows;

export function readPools(orm: Orm) {
  return Object.entries(extrasOf(orm).pools).map(([name, pool]) => ({
    pool: name,
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    max: pool.options.max,
  }));
}
