import pg from 'pg';

/**
 * The planner of these connections knows look-ups by index only. A prepared statement keeps its plan while tables
 * grow: one made when a table had a page would read the whole of it for each row, minutes later, with a million.
 */
const sessionSettings = `
  set enable_seqscan = off;
  set enable_mergejoin = off;
  set plan_cache_mode = force_generic_plan`;

const lookupPools = new WeakMap<pg.Pool, pg.Pool>();

/** Gives a pool a companion of at most `size` connections for prepared statements, which ends with it. */
export function attachLookupPool(pool: pg.Pool, size: number, warn: (message: string) => void): void {
  const onConnect = async (client: pg.ClientBase) => void (await client.query(sessionSettings));
  const lookupPool = new pg.Pool({ ...pool.options, min: 0, max: size, onConnect });
  lookupPool.on('error', (error) => warn(`PostgreSQL pool error: ${error.message}`));
  // A connection that breaks while it is in use fails its statement; without a listener it would end the process.
  lookupPool.on('connect', (client) => client.on('error', () => undefined));
  lookupPools.set(pool, lookupPool);
  const endPool = pool.end.bind(pool);
  pool.end = async () => {
    await Promise.all([endPool(), lookupPool.end()]);
  };
}

/** The companion of a pool that `attachLookupPool` was called for. */
export function lookupPoolOf(pool: pg.Pool): pg.Pool {
  return lookupPools.get(pool) ?? pool;
}
