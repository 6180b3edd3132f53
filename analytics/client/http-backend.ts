import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Backend } from './backend.ts';
import { createParallelLane } from './lane.ts';

export interface HttpOptions {
  url: string;
  username: string;
  password: string;
  database: string;
  requestTimeoutMs?: number;
  maxConnections?: number;
}

export function openHttpBackend(options: HttpOptions): Backend {
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
  const lane = createParallelLane(client);
  return {
    reader: lane,
    writer: lane,
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
      await lane.drained();
      await client.close();
    },
  };
}
