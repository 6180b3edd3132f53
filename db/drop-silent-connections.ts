import { Socket } from 'node:net';
import pg from 'pg';
import { z } from 'zod';

export interface SilenceOptions {
  url: string;
  /** Process ids are not those of Postgres then: only a pooler that does not answer is noticed. */
  isPooler: boolean;
  silenceMs: number;
  answerMs: number;
}

/**
 * Drops connections in use for which Postgres does nothing any more, so that what waits for them fails and can be tried again. A
 * host that vanishes ends no connection, and Linux gives one up after a quarter of an hour only.
 *
 * When connections have been silent for `silenceMs` to twice that, a new one asks whether their statements are there: those go on,
 * however long they take. All silent ones are dropped if there is no answer either. Those at rest go with what is dropped, of
 * whichever pool.
 *
 * @returns call it with each pool that leads to the same Postgres
 */
export function dropSilentConnections(options: SilenceOptions): (pool: pg.Pool) => void {
  /** By connection in use: the bytes that had come at the latest look. */
  const heard = new Map<pg.PoolClient, number | undefined>();
  const atRest = new Set<pg.PoolClient>();
  let isPlanned = false;

  const isSilent = (client: pg.PoolClient) => heard.has(client) && heard.get(client) === bytesFrom(client);

  async function look(): Promise<void> {
    const silent = [...heard.keys()].filter(isSilent);
    for (const client of heard.keys()) heard.set(client, bytesFrom(client));
    const lost = silent.length === 0 ? [] : await findLost(silent, options);
    const gone = lost.filter(isSilent);
    // Those at rest lead to the same host: each would be waited for as long, once it is used.
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
    const { rows } = await asking.query(
      `select pid from pg_stat_activity
       where pid = any($1) and state is distinct from 'idle' or pid = pg_backend_pid()`,
      [silent.map(processIdOf)],
    );
    const atWork = new Set<unknown>(processIds.parse(rows).map(({ pid }) => pid));
    // A pooler in session mode makes up process ids.
    if (!atWork.has(processIdOf(asking))) return [];
    return silent.filter((client) => !atWork.has(processIdOf(client)));
  } catch (error) {
    return isNoAnswer(error) ? silent : [];
  } finally {
    asking.end().catch(() => undefined);
  }
}

// The driver's types leave it out.
const processIdOf = (client: pg.Client): unknown => Reflect.get(client, 'processID');

/** A refusal of Postgres, such as of one more connection, is an answer. A name server that fails says nothing of Postgres. */
function isNoAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return Reflect.get(error, 'syscall') !== 'getaddrinfo';
}
