import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Backend } from './backend.ts';
import { createParallelLane } from './lane.ts';

export interface HttpOptions {
  /** `http://` or `https://` address of the server. */
  url: string;
  username: string;
  password: string;
  /** Letters, digits and underscores; created by `migrateClickHouse`. */
  database: string;
  /** How long a request may take before the server counts as unreachable. Default 30,000. */
  requestTimeoutMs?: number;
  /** Connections of this process. Default 10. */
  maxConnections?: number;
}

/** A ClickHouse server over HTTP. Nothing is connected before the first statement. */
export function openHttpBackend(options: HttpOptions): Backend {
  const common = {
    url: options.url,
    username: options.username,
    password: options.password,
    application: 'posthaste',
    request_timeout: options.requestTimeoutMs ?? 30_000,
    // Every failure reaches the caller as an error; the client's own lines on the console would double it.
    log: { level: ClickHouseLogLevel.OFF },
  };
  const client = createClient({
    ...common,
    database: options.database,
    max_open_connections: options.maxConnections ?? 10,
  });
  const lane = createParallelLane(client);
  return {
    reader: lane,
    writer: lane,
    async createDatabase() {
      // Not through the client above: its requests name the database, which a server refuses while it is missing.
      const administration = createClient({ ...common, max_open_connections: 1 });
      try {
        await administration.command({ query: `CREATE DATABASE IF NOT EXISTS ${options.database}` });
      } finally {
        await administration.close();
      }
    },
    async close() {
      await lane.drained();
      await client.close();
    },
  };
}
