import { Socket } from 'node:net';
import pg from 'pg';
import { z } from 'zod';

export interface SilenceOptions {
  url: string;
  /** A pooler hides the process ids of Postgres: then only a pooler that does not answer is detected. */
  isPooler: boolean;
  silenceMs: number;
  answerMs: number;
}

/**
 * Drops busy connections on which Postgres no longer works, so that their callers fail and can retry. A host that
 * vanishes closes no connection, and Linux gives one up only after 15 minutes.
 *
 * Once connections have received nothing for `silenceMs` to twice that, a new connection asks Postgres whether their
 * statements still run. Those that do are kept, however long they take. Without an answer, all silent connections are
 * dropped. When any is dropped, the idle connections of all watched pools are dropped too.
 *
 * @returns call it with each pool that leads to the same Postgres
 */
export function dropSilentConnections(options: SilenceOptions): (pool: pg.Pool) => void {
  /** Busy connections, with the number of bytes received at the last check. */
  const heard = new Map<pg.PoolClient, number | undefined>();
  const atRest = new Set<pg.PoolClient>();
  let isPlanned = false;

  const isSilent = (client: pg.PoolClient) => heard.has(client) && heard.get(client) === bytesFrom(client);

  async function look(): Promise<void> {
    const silent = [...heard.keys()].filter(isSilent);
    for (const client of heard.keys()) heard.set(client, bytesFrom(client));
    const lost = silent.length === 0 ? [] : await findLost(silent, options);
    const gone = lost.filter(isSilent);
    // Idle connections lead to the same host: each would hang as long once it is used.
    for (const client of gone.length > 0 ? [...gone, ...atRest] : []) client.connection.stream.destroy();
    isPlanned = false;
    if (heard.size > 0) lookLater();
  }
  function lookLater(): void {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => void look(), options.silenceMs).unref();
  }

  return (pool) => {
    pool.on('acquire', (client) => {
      atRest.delete(client);
      heard.set(client, undefined);
      lookLater();
    });
    pool.on('release', (_, client) => {
      heard.delete(client);
      atRest.add(client);
    });
    pool.on('remove', (client) => atRest.delete(client));
  };
}

function bytesFrom({ connection: { stream } }: pg.PoolClient): number {
  return stream instanceof Socket ? stream.bytesRead : 0;
}

const processIds = z.array(z.object({ pid: z.int() }));

async function findLost(
  silent: readonly pg.PoolClient[],
  { url, isPooler, answerMs }: SilenceOptions,
): Promise<readonly pg.PoolClient[]> {
  const asking = new pg.Client({
    connectionString: url,
    application_name: 'posthaste-look',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  asking.on('error', () => undefined);
  try {
    await asking.connect();
    if (isPooler) return [];
    const sql = `select pid from pg_stat_activity
       where pid = any($1) and state is distinct from 'idle' or pid = pg_backend_pid()`;
    const { rows } = await asking.query(sql, [silent.map(processIdOf)]);
    const atWork = new Set<unknown>(processIds.parse(rows).map(({ pid }) => pid));
    // A pooler in session mode invents process ids.
    if (!atWork.has(processIdOf(asking))) return [];
    return silent.filter((client) => !atWork.has(processIdOf(client)));
  } catch (error) {
    return isNoAnswer(error) ? silent : [];
  } finally {
    asking.end().catch(() => undefined);
  }
}

// Missing from the driver's types.
const processIdOf = (client: pg.Client): unknown => Reflect.get(client, 'processID');

/**
 * An error from Postgres, such as too many connections, is an answer. A name server that does not answer says nothing
 * about Postgres; one that no longer knows the name does, as in a container network that the host has left.
 */
export function isNoAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return Reflect.get(error, 'syscall') !== 'getaddrinfo' || Reflect.get(error, 'code') === 'ENOTFOUND';
}
