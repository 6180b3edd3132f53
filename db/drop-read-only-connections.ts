import type pg from 'pg';

/** SQLSTATE read_only_sql_transaction */
const readOnly = '25006';

/**
 * Closes a connection after a statement that Postgres refused as read-only. It may lead to the former primary, which is a
 * standby now, or have a setting that was removed since; a new one does not.
 */
export function dropReadOnlyConnections(pool: pg.Pool): void {
  const refused = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === readOnly) refused.add(client);
    });
  });
  // The pool does not keep a client that is ending.
  pool.on('release', (_, client) => refused.has(client) && client.end());
}
