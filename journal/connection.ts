import pg from 'pg';

/** One streamer at a time holds this advisory lock; the number is arbitrary and only ours. */
const streamerLock = 7_367_002;

/**
 * Settings of the session. It runs one kind of query, which is right only over the index on (xid, id), whatever the
 * planner thinks of a table that grows faster than its statistics. A position that a crash of Postgres forgets is
 * only replayed, so its commit need not wait for the disk. A holder of the lock that vanished from the network is
 * noticed within half a minute.
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
 * Opens a session of its own, outside of any pool: an advisory lock lives as long as its session. `databaseUrl` must
 * lead to Postgres itself or to a pooler in session mode.
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
  // A broken connection also fails the query that runs or comes next, which is where it is handled.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Takes the lock unless another session has it. The end of the session gives it back. */
export async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    streamerLock,
  ]);
  return rows[0]?.locked === true;
}
