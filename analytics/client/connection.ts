import { addAbortSignal, type Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { ClickHouseUnavailable } from './errors.ts';

/** Of a process, unless `maxConnections` says otherwise. */
export const connectionsToClickHouse = 10;

type Client = ReturnType<typeof createClient>;

export interface ClickHouseOptions {
  url: string;
  username: string;
  password: string;
  /** Letters, digits and underscores. */
  database: string;
  /** Time limit of an insert or a command. Default 60,000. */
  requestTimeoutMs?: number;
  maxConnections?: number;
}

interface Statement {
  query: string;
  values?: Readable;
  query_params?: Record<string, unknown>;
}

export type Connection = ReturnType<typeof openConnection>;

export function openConnection(options: ClickHouseOptions) {
  const { requestTimeoutMs = 60_000 } = options;
  const common = {
    url: options.url,
    username: options.username,
    password: options.password,
    application: 'posthaste',
    // Off: it limits only the silence on a connection, and equally for all statements. `runWithin` sets the limits.
    request_timeout: 0,
    // Every failure reaches the caller as an error; the client's console output would duplicate it.
    log: { level: ClickHouseLogLevel.OFF },
  };
  const client = createClient({
    ...common,
    database: options.database,
    max_open_connections: options.maxConnections ?? connectionsToClickHouse,
  });
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();

  async function runWithin<T>(limitMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(limitMs);
    try {
      return await task(AbortSignal.any([limit, closing.signal]));
    } catch (cause) {
      if (!limit.aborted) throw cause;
      throw new ClickHouseUnavailable(`ClickHouse did not answer within ${limitMs / 1000} seconds`, {
        cause,
      });
    }
  }

  /**
   * @param task ends when the signal is aborted
   * @param limitMs total time: the wait for a free connection, ClickHouse's work and the transfer of the answer
   * @throws ClickHouseUnavailable when the limit is exceeded
   */
  function run<T>(task: (client: Client, signal: AbortSignal) => Promise<T>, limitMs = requestTimeoutMs) {
    const result = runWithin(limitMs, (signal) => task(client, signal));
    running.add(result);
    const forget = () => void running.delete(result);
    result.then(forget, forget);
    return result;
  }

  return {
    run,
    /** Runs a statement without a result, within the time of `run`. */
    execute: (statement: Statement, limitMs?: number) =>
      run((own, signal) => execute(own, statement, signal), limitMs),
    async createDatabase(): Promise<void> {
      // Not through the client above: its requests name the database, which a server rejects while it is missing.
      const administration = createClient({ ...common, max_open_connections: 1 });
      const query = `CREATE DATABASE IF NOT EXISTS ${options.database}`;
      try {
        await runWithin(requestTimeoutMs, (signal) => execute(administration, { query }, signal));
      } finally {
        await administration.close();
      }
    },
    /** Aborts the tasks that are still running, and resolves once they have ended. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.allSettled(running);
      await client.close();
    },
  };
}

async function execute(client: Client, statement: Statement, signal: AbortSignal): Promise<void> {
  const { stream } = await client.exec({ ...statement, abort_signal: signal });
  // The response is empty, but its connection is freed only once it has been read.
  await addAbortSignal(signal, stream).toArray();
}
