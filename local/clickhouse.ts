import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChildOptions, RunningChild } from './child-process.ts';
import { startOwnProgram } from './own-program.ts';

export interface ClickHouseOptions extends ChildOptions {
  /** Folder of its data, created when missing; the pid file is beside it. */
  directory: string;
  port: number;
  /** Password of the user `default`. */
  password: string;
  /** Statements and merges that would exceed it are refused. Default 1 GB. */
  memoryLimitBytes?: number;
}

export interface RunningClickHouse extends RunningChild {
  readonly url: string;
}

/** ClickHouse waits for running statements. */
const stopTimeoutMs = 30_000;

/** Size of libuv's pool: one thread for each of the eight connections to the engine, and some for the rest. */
const threads = '10';

/**
 * Runs ClickHouse (chDB) in a separate process, apart from the product's work and memory.
 * @throws LocalStackError when it does not start
 */
export async function startClickHouse(options: ClickHouseOptions): Promise<RunningClickHouse> {
  const { directory, port, password, memoryLimitBytes, ...child } = options;
  mkdirSync(dirname(directory), { recursive: true });
  const running = await startOwnProgram({
    ...child,
    name: 'ClickHouse',
    script: new URL('./clickhouse/main.ts', import.meta.url),
    ports: { CLICKHOUSE_PORT: port },
    environment: {
      TZ: 'UTC',
      UV_THREADPOOL_SIZE: threads,
      CLICKHOUSE_DIRECTORY: directory,
      CLICKHOUSE_PORT: String(port),
      CLICKHOUSE_PASSWORD: password,
      ...(memoryLimitBytes !== undefined && { CLICKHOUSE_MEMORY_LIMIT_BYTES: String(memoryLimitBytes) }),
    },
    readyLine: 'ClickHouse is ready',
    stopTimeoutMs,
    pidFile: `${directory}.pid.json`,
  });
  return { ...running, url: `http://127.0.0.1:${port}` };
}
