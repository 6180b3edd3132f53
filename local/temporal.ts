import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { searchAttributeNames } from '../temporal/contracts/search-attributes.ts';
import {
  type ChildOptions,
  type RunningChild,
  startChildProcess,
  stopLeftoverChild,
} from './child-process.ts';
import { requireFreePort } from './ports.ts';
import { EndedWhileStarting, untilReady } from './until-ready.ts';

export interface TemporalOptions extends ChildOptions {
  binary: string;
  /** Folder of the database file; created when missing. One server at a time. */
  directory: string;
  port: number;
  uiPort: number;
  namespace?: string | undefined;
  /**
   * Search attributes of type keyword; defaults to those of the contracts. Missing ones are added to existing
   * databases.
   */
  searchAttributes?: readonly string[];
}

export interface RunningTemporal extends RunningChild {
  readonly address: string;
  readonly uiUrl: string;
}

/**
 * Server settings that differ from the defaults, measured on dev server 1.9.1 with 2 cores. The dev server has one
 * history shard, which by default polls for new tasks at most 20 times a second: three hand-overs of up to 50 ms each
 * made every one-activity workflow take 100 ms on an idle machine. At 300 polls a second it takes 20 to 30 ms for the
 * same CPU. Visibility records, which only the UI reads, are batched for up to 200 ms, which saves a tenth of the
 * server's CPU. Request limits meant for a shared server are lifted. Fairness keys, which make projects take turns,
 * work only when enabled, and only within one partition of a task queue: with four partitions, a task of a small
 * project came 52nd of 63; with one partition, it came second. Neither costs measurable CPU. All partitions are still
 * read, because an older database may hold tasks in them.
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

/**
 * Starts the Temporal dev server with its UI and a database file. A server left behind by a killed run is ended first.
 * Besides the two given ports it listens on random free ones of 127.0.0.1, so servers can run side by side.
 * SQLite uses a write-ahead log and syncs only at checkpoints: twice the throughput, and a killed process loses
 * nothing. A power cut may lose the last transactions; Postgres holds the truth and restarts lost workflows.
 * @throws LocalStackError when a port is taken or the server does not start
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  try {
    return await startOnce(options);
  } catch (error) {
    if (!(error instanceof EndedWhileStarting)) throw error;
    // It chooses free ports before it listens on them, and panics if another process has taken one meanwhile.
    return startOnce(options);
  }
}

async function startOnce(options: TemporalOptions): Promise<RunningTemporal> {
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
    // Our TEMPORAL_* variables and profiles are for clients; the server must not read them.
    environment: { PATH: '/usr/bin:/bin', HOME: directory },
    workingDirectory: directory,
    log: options.log,
    pidFile,
    onSpawn: options.onSpawn,
    signal,
  });
  const address = `127.0.0.1:${port}`;
  await untilReady(child, {
    name: 'Temporal',
    isReady: async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      await once(socket, 'connect').finally(() => socket.destroy());
      return completeSearchAttributes(address, options);
    },
    signal,
  });
  const uiUrl = `http://127.0.0.1:${options.uiPort}`;
  return { ...child, address, uiUrl };
}

function serverArguments(options: TemporalOptions): string[] {
  const attributes = options.searchAttributes ?? searchAttributeNames;
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1'],
    ...['--port', String(options.port), '--ui-port', String(options.uiPort)],
    ...['--db-filename', join(options.directory, 'temporal.db')],
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
    ...['--log-level', 'warn', '--log-format', 'json', '--ui-disable-news-fetch'],
    ...(options.namespace === undefined ? [] : ['--namespace', options.namespace]),
    ...attributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
  ];
}

/** temporal.api.enums.v1.IndexedValueType */
const keyword = 2;

/**
 * Adds missing search attributes: the server registers the ones on its command line only when it creates a database.
 * @returns whether all exist now
 */
async function completeSearchAttributes(address: string, options: TemporalOptions): Promise<boolean> {
  const namespace = options.namespace ?? 'default';
  const wanted = options.searchAttributes ?? searchAttributeNames;
  // Loaded here, because it is needed only once the server is up, and must not delay its start.
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = wanted.filter((name) => customAttributes?.[name] === undefined);
    if (missing.length === 0) return true;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return false;
  } finally {
    await connection.close();
  }
}
