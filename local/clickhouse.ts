import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChildOptions, RunningChild } from './child-process.ts';
import { startOwnProgram } from './own-program.ts';

export interface ClickHouseOptions extends ChildOptions {
  /** Of its data, created when missing; its pid file is beside it. */
  directory: string;
  port: number;
  /** Of the user `default`. */
  password: string;
  /** Statements and merges that would exceed it are refused. Default 1 GB. */
  memoryLimitBytes?: number;
}

export interface RunningClickHouse extends RunningChild {
  readonly url: string;
}

/** It waits for the statements that run. */
const stopTimeoutMs = 30_000;

/** Of libuv's pool: one for each of the eight connections to the engine, and some for the rest. */
const threads = '10';

/**
 * Runs ClickHouse (chDB) in a separate process, so that its work and its memory are not the product's.
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
