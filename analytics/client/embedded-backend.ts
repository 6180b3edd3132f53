import { mkdirSync } from 'node:fs';
import { createClient } from '@clickhouse/client';
import type { Backend, Client } from './backend.ts';
import { ClickHouseUnavailable } from './errors.ts';
import { createSerialLane } from './lane.ts';

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

export interface EmbeddedOptions {
  /**
   * Data folder of the engine, created when missing. Only one process may open it, and a process can open only one.
   */
  embeddedPath: string;
  /** Letters, digits and underscores. */
  database: string;
  /** Queries and merges that would exceed it are refused. Default 1 GB. */
  memoryLimitBytes?: number;
}

/** The engine's default is 5 GB per cache, sized for a dedicated machine. */
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
 * ClickHouse inside this process (chDB). A connection runs one statement at a time, so reads and writes have separate
 * ones.
 *
 * @throws ClickHouseUnavailable when the engine is not installed or another process has the folder open
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<Backend> {
  const { engine, connection } = await loadEngine();
  mkdirSync(options.embeddedPath, { recursive: true });
  // The engine uses the arguments of the first connection, and only a session accepts any.
  const session = openSession(() => {
    return new engine.Session(options.embeddedPath, { connectionArgs: engineArguments(options) });
  }, options.embeddedPath);
  session.query(`CREATE DATABASE IF NOT EXISTS ${options.database}`);

  const openClient = async (): Promise<Client> => {
    // as: client and engine each declare their own version of the interface, with different known settings.
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
      // Closing a connection during a statement aborts the engine, and with it the process.
      await Promise.all([reader.drained(), writer.drained()]);
      await readClient.close();
      await writeClient.close();
      session.close();
      await engine.drainPending();
    },
  };
}

/** Loaded on demand: a deployment with a server needs no engine installed. */
async function loadEngine() {
  try {
    return { engine: await import('chdb'), connection: await import('chdb/connection') };
  } catch (error) {
    throw new ClickHouseUnavailable("The embedded ClickHouse (npm package chdb) can't be loaded here", {
      cause: error,
    });
  }
}

function openSession<Session>(open: () => Session, path: string): Session {
  try {
    return open();
  } catch (error) {
    throw new ClickHouseUnavailable(
      `The embedded ClickHouse can't open ${path}; another process may be using it`,
      { cause: error },
    );
  }
}
