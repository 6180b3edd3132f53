import type pg from 'pg';

/** Time for transactions to release their own connection. */
const graceMs = 1_000;

/**
 * Releases connections that broke inside a transaction. Kysely releases a transaction's connection only after a
 * successful `commit` or `rollback`, which is impossible on a broken connection: each would occupy a slot in the pool
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
