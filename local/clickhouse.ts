import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  compileCache,
  type OnSpawn,
  type RunningChild,
  startChildProcess,
  stopLeftoverChild,
} from './child-process.ts';
import { requireFreePort } from './ports.ts';
import { untilReady } from './until-ready.ts';

export interface ClickHouseOptions {
  /** Of its data, created when missing; its pid file is beside it. */
  directory: string;
  port: number;
  /** Of the user `default`. */
  password: string;
  /** Statements and merges that would exceed it are refused. Default 1 GB. */
  memoryLimitBytes?: number;
  log: (line: string) => void;
  onSpawn?: OnSpawn | undefined;
  signal?: AbortSignal | undefined;
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
  const { directory, port, signal } = options;
  mkdirSync(dirname(directory), { recursive: true });
  const pidFile = `${directory}.pid.json`;
  await stopLeftoverChild(pidFile, { timeoutMs: stopTimeoutMs });
  await requireFreePort('CLICKHOUSE_PORT', port);
  let isReady = false;
  const child = await startChildProcess({
    name: 'ClickHouse',
    command: process.execPath,
    args: [fileURLToPath(new URL('./clickhouse/main.ts', import.meta.url))],
    environment: {
      PATH: '/usr/bin:/bin',
      ...compileCache(),
      TZ: 'UTC',
      UV_THREADPOOL_SIZE: threads,
      CLICKHOUSE_DIRECTORY: directory,
      CLICKHOUSE_PORT: String(port),
      CLICKHOUSE_PASSWORD: options.password,
      ...(options.memoryLimitBytes !== undefined && {
        CLICKHOUSE_MEMORY_LIMIT_BYTES: String(options.memoryLimitBytes),
      }),
    },
    log(line) {
      isReady ||= line === 'ClickHouse is ready';
      options.log(line);
    },
    stopTimeoutMs,
    pidFile,
    onSpawn: options.onSpawn,
    signal,
  });
  await untilReady(child, {
    name: 'ClickHouse',
    isReady: async () => isReady,
    signal,
  });
  return { ...child, url: `http://127.0.0.1:${port}` };
}
