import pg from 'pg';
import { z } from 'zod';

const streamerLock = 7_367_002;

/**
 * Session settings. The stream's only query needs the index on (xid, id) even when planner statistics lag behind a
 * growing table. A position lost in a Postgres crash only causes a replay, so its commit does not wait for the disk.
 * TCP keepalives detect a vanished lock holder within half a minute.
 */
const sessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  synchronous_commit: 'off',
  jit: 'off',
  statement_timeout: '60s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
};

/**
 * Opens a session outside any pool, because an advisory lock lives as long as its session. `databaseUrl` must point
 * to Postgres itself or to a pooler in session mode.
 */
export async function connectStreamer(databaseUrl: string): Promise<pg.Client> {
  const options = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'posthaste-journal',
    options: options.join(' '),
    connectionTimeoutMillis: 10_000,
    query_timeout: 90_000,
    keepAlive: true,
  });
  // A broken connection also fails the current or next query, where the error is handled.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Returns false when another session holds the lock. Ending the session releases it. */
export async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [streamerLock]);
  return z.object({ locked: z.boolean() }).parse(rows[0]).locked;
}
