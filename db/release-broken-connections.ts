import type pg from 'pg';

/** Whoever gives connections back by itself has done so by then. */
const graceMs = 1_000;

/**
 * Gives connections back to the pool that broke within a transaction. Kysely's transactions give theirs back only after
 * a `commit` or `rollback` that succeeded, which a broken connection never sees: each would take a place in the pool
 * until the process ends.
 */
export function releaseBrokenConnections(pool: pg.Pool): void {
  const inUse = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => inUse.add(client));
  pool.on('release', (_, client) => inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      setTimeout(() => inUse.has(client) && client.release(true), graceMs).unref();
    });
  });
}
