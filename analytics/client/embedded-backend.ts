import { mkdirSync } from 'node:fs';
import { createClient } from '@clickhouse/client';
import type { Backend, Client } from './backend.ts';
import { ClickHouseUnavailable } from './errors.ts';
import { createSerialLane } from './lane.ts';

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

export interface EmbeddedOptions {
  /** Folder of the engine; created when missing. One process at a time, and one folder per process. */
  embeddedPath: string;
  /** Letters, digits and underscores. */
  database: string;
  /** Beyond this much memory of the engine a query or merge is refused. Default 1 GB. */
  memoryLimitBytes?: number;
}

/** Caches that the engine would size for a machine of its own (5 GB each by default). */
const cacheBytes = 32 * 1024 * 1024;

function engineArguments(options: EmbeddedOptions): string[] {
  return [
    `--max_server_memory_usage=${options.memoryLimitBytes ?? 1_000_000_000}`,
    `--mark_cache_size=${cacheBytes}`,
    `--primary_index_cache_size=${cacheBytes}`,
    `--index_mark_cache_size=${cacheBytes}`,
    `--query_condition_cache_size=${cacheBytes}`,
    `--compiled_expression_cache_size=${cacheBytes}`,
  ];
}

/**
 * ClickHouse inside of this process (chDB). A connection of it runs one statement at a time, so reads and writes
 * have one each.
 *
 * @throws ClickHouseUnavailable when the engine is not installed or another process has the folder open.
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<Backend> {
  const { engine, connection } = await loadEngine();
  mkdirSync(options.embeddedPath, { recursive: true });
  // The engine's arguments are those of the first connection, and only a session takes any.
  const session = openSession(() => {
    return new engine.Session(options.embeddedPath, { connectionArgs: engineArguments(options) });
  }, options.embeddedPath);
  session.query(`CREATE DATABASE IF NOT EXISTS ${options.database}`);

  const openClient = async (): Promise<Client> => {
    // Client and engine each carry a copy of the contract between them, which differ in the settings they know.
    const lane = connection.createChdbConnection({ path: options.embeddedPath }) as ClientConnection;
    const client = createClient({ connection: lane });
    await client.command({ query: `USE ${options.database}` });
    return client;
  };
  const readClient = await openClient();
  const writeClient = await openClient();
  const reader = createSerialLane(readClient);
  const writer = createSerialLane(writeClient);
  return {
    reader,
    writer,
    createDatabase: async () => undefined,
    async close() {
      // Closing a connection under a running statement aborts the engine, and with it the process.
      await Promise.all([reader.drained(), writer.drained()]);
      await readClient.close();
      await writeClient.close();
      session.close();
      await engine.drainPending();
    },
  };
}

/** Loaded on demand: a deployment with a server of its own needs no engine installed. */
async function loadEngine() {
  try {
    return { engine: await import('chdb'), connection: await import('chdb/connection') };
  } catch (error) {
    throw new ClickHouseUnavailable('The embedded ClickHouse (npm package chdb) can not be loaded here', {
      cause: error,
    });
  }
}

function openSession<Session>(open: () => Session, path: string): Session {
  try {
    return open();
  } catch (error) {
    throw new ClickHouseUnavailable(
      `The embedded ClickHouse can not open ${path}; another process may be using it`,
      { cause: error },
    );
  }
}
