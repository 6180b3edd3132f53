import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { searchAttributeNames } from '../temporal/contracts/search-attributes.ts';
import { type ChildExit, type RunningChild, startChildProcess, stopLeftoverChild } from './child-process.ts';
import { LocalStackError } from './failure.ts';
import { requireFreePort } from './ports.ts';

export type SearchAttributeType = 'Keyword' | 'KeywordList' | 'Text' | 'Int' | 'Double' | 'Bool' | 'Datetime';

export interface TemporalOptions {
  binary: string;
  /** Folder of the database file; created when missing. One server at a time. */
  directory: string;
  port: number;
  uiPort: number;
  log: (line: string) => void;
  namespace?: string | undefined;
  /** By name; default `posthasteSearchAttributes`. Missing ones are also added to an existing database. */
  searchAttributes?: Readonly<Record<string, SearchAttributeType>>;
  signal?: AbortSignal | undefined;
}

export interface RunningTemporal {
  readonly address: string;
  readonly uiUrl: string;
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

export const posthasteSearchAttributes: Readonly<Record<string, SearchAttributeType>> = Object.fromEntries(
  searchAttributeNames.map((name) => [name, 'Keyword']),
);

/**
 * Server settings that differ from the defaults, measured on dev server 1.9.1 with 2 cores. The dev server
 * has one history shard, which by default polls for new tasks at most 20 times a second: three hand-overs of
 * up to 50 ms each made every one-activity workflow take 100 ms on an idle machine. At 300 a second it takes
 * 20 to 30 ms for the same CPU. Visibility records, which only the UI reads, are batched for up to 200 ms,
 * which saves a tenth of the server's CPU. Request limits meant for a shared server are lifted. Fairness
 * keys, by which projects take turns, work only when enabled, and within one partition of a task queue: with
 * four partitions a task of a small project came 52nd of 63, with one each came second. Neither costs
 * measurable CPU. All partitions are still read, because an older database may hold tasks in them.
 */
const dynamicConfig: Readonly<Record<string, number | boolean>> = {
  'matching.enableFairness': true,
  'matching.numTaskqueueWritePartitions': 1,
  'history.transferProcessorMaxPollRPS': 300,
  'history.timerProcessorMaxPollRPS': 300,
  'history.visibilityProcessorMaxPollRPS': 5,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'frontend.namespaceRPS.visibility': 200,
  'frontend.persistenceMaxQPS': 50_000,
  'history.rps': 20_000,
  'history.persistenceMaxQPS': 50_000,
  'matching.rps': 20_000,
  'matching.persistenceMaxQPS': 50_000,
};

const startTimeoutMs = 60_000;

/**
 * Starts the Temporal dev server with its UI and a database file. A server left behind by a killed run is
 * ended first. Besides the two given ports it listens on random free ones of 127.0.0.1, so servers run side
 * by side.
 * SQLite uses a write-ahead log and syncs at checkpoints only: twice the throughput, and a killed process
 * loses nothing. A power cut may lose the last transactions; Postgres holds the truth and restarts what is
 * missing.
 * @throws LocalStackError when a port is taken or the server does not start
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { directory, port, signal } = options;
  await mkdir(directory, { recursive: true });
  const pidFile = join(directory, 'temporal.pid.json');
  await stopLeftoverChild(pidFile);
  await requireFreePort('TEMPORAL_PORT', port);
  await requireFreePort('TEMPORAL_UI_PORT', options.uiPort);
  const child = await startChildProcess({
    name: 'Temporal',
    command: options.binary,
    args: serverArguments(options),
    // Its own TEMPORAL_* variables and profiles are for clients; the server must not read them.
    environment: { PATH: '/usr/bin:/bin', HOME: directory },
    workingDirectory: directory,
    log: options.log,
    pidFile,
    signal,
  });
  const address = `127.0.0.1:${port}`;
  try {
    await waitUntilReady(address, options, child);
    signal?.throwIfAborted();
  } catch (error) {
    await child.stop();
    signal?.throwIfAborted();
    throw error;
  }
  const uiUrl = `http://127.0.0.1:${options.uiPort}`;
  return { address, uiUrl, pid: child.pid, exited: child.exited, stop: child.stop };
}

function serverArguments(options: TemporalOptions): string[] {
  const attributes = Object.entries(options.searchAttributes ?? posthasteSearchAttributes);
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1'],
    ...['--port', String(options.port), '--ui-port', String(options.uiPort)],
    ...['--db-filename', join(options.directory, 'temporal.db')],
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
    ...['--log-level', 'warn', '--log-format', 'json', '--ui-disable-news-fetch'],
    ...(options.namespace === undefined ? [] : ['--namespace', options.namespace]),
    ...attributes.flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
  ];
}

async function waitUntilReady(address: string, options: TemporalOptions, child: RunningChild): Promise<void> {
  let exit: ChildExit | undefined;
  void child.exited.then((value) => {
    exit = value;
  });
  const deadline = Date.now() + startTimeoutMs;
  let lastError: unknown;
  for (;;) {
    if (exit !== undefined) {
      const said = exit.lastLines.findLast((line) => /error/i.test(line)) ?? exit.lastLines.at(-1);
      throw new LocalStackError(`Temporal ended while it was starting: ${said ?? 'no output'}`);
    }
    if (Date.now() > deadline) {
      throw new LocalStackError('Temporal did not answer within a minute; see its log.', {
        cause: lastError,
      });
    }
    try {
      if ((await canConnect(options.port)) && (await completeSearchAttributes(address, options))) return;
    } catch (error) {
      lastError = error;
    }
    await delay(20);
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

const attributeTypeNumbers: Readonly<Record<SearchAttributeType, number>> = {
  // temporal.api.enums.v1.IndexedValueType
  Text: 1,
  Keyword: 2,
  Int: 3,
  Double: 4,
  Bool: 5,
  Datetime: 6,
  KeywordList: 7,
};

/**
 * Adds missing search attributes; the server registers those on its command line only when it creates a
 * database. @returns whether all exist now
 */
async function completeSearchAttributes(address: string, options: TemporalOptions): Promise<boolean> {
  const namespace = options.namespace ?? 'default';
  const wanted = Object.entries(options.searchAttributes ?? posthasteSearchAttributes);
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = wanted.filter(([name]) => customAttributes?.[name] === undefined);
    if (missing.length === 0) return true;
    const searchAttributes = Object.fromEntries(
      missing.map(([name, type]) => [name, attributeTypeNumbers[type]]),
    );
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return false;
  } finally {
    await connection.close();
  }
}
