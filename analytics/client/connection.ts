import { ClickHouseLogLevel, createClient } from '@clickhouse/client';

type Client = ReturnType<typeof createClient>;

export interface ClickHouseOptions {
  url: string;
  username: string;
  password: string;
  /** Letters, digits and underscores. */
  database: string;
  requestTimeoutMs?: number;
  maxConnections?: number;
}

export interface Connection {
  run<T>(task: (client: Client) => Promise<T>): Promise<T>;
  createDatabase(): Promise<void>;
  /** Resolves when no task runs any more. */
  close(): Promise<void>;
}

export function openConnection(options: ClickHouseOptions): Connection {
  const common = {
    url: options.url,
    username: options.username,
    password: options.password,
    application: 'posthaste',
    request_timeout: options.requestTimeoutMs ?? 30_000,
    // Every failure reaches the caller as an error; the client's console output would duplicate it.
    log: { level: ClickHouseLogLevel.OFF },
  };
  const client = createClient({
    ...common,
    database: options.database,
    max_open_connections: options.maxConnections ?? 10,
  });
  const running = new Set<Promise<unknown>>();
  return {
    run(task) {
      const result = task(client);
      running.add(result);
      const forget = () => void running.delete(result);
      result.then(forget, forget);
      return result;
    },
    async createDatabase() {
      // Not through the client above: its requests name the database, which a server rejects while it is missing.
      const administration = createClient({ ...common, max_open_connections: 1 });
      try {
        await administration.command({ query: `CREATE DATABASE IF NOT EXISTS ${options.database}` });
      } finally {
        await administration.close();
      }
    },
    async close() {
      await Promise.allSettled(running);
      await client.close();
    },
  };
}
