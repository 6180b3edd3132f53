import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadConfig } from '../core/config/load.ts';
import type { Config } from '../core/config/schema.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import type { ChildExit } from './child-process.ts';
import type { Credentials, StackUrls } from './credentials.ts';
import type { DataDirectory } from './data-directory.ts';
import {
  chooseEmbeddedParts,
  type EmbeddedParts,
  type LocalEnvironment,
  localTopicArn,
  neededPorts,
  productEnvironment,
} from './environment.ts';
import { diskFullMessage, LocalStackError, saysDiskFull } from './failure.ts';
import { startLocalSesProcess } from './local-ses.ts';
import { openLogFile } from './log-file.ts';
import {
  type PortName,
  type ReservedPort,
  readRememberedPorts,
  rememberPorts,
  reservePort,
} from './ports.ts';
import { postgresUrl, startPostgres } from './postgres.ts';
import { startTemporal } from './temporal.ts';
import { findTemporalBinary } from './temporal-binary.ts';

export interface StackOptions {
  /** The environment of the process, and what the local stack has read of it. */
  environment: Record<string, string | undefined>;
  settings: LocalEnvironment;
  data: DataDirectory;
  log: Logger;
  /** Takes the parts, so that running it ends API, worker, streams, SES, Temporal and Postgres in this order. */
  shutdown: Shutdown;
  /** Fires when the start is to be given up; children that are up already end by the shutdown. */
  signal: AbortSignal;
  /** Tells the user what takes long. */
  say: (line: string) => void;
  /** A part ended by itself: the stack can't go on. */
  onFailure: (error: unknown) => void;
  /** Told of every child process, so that a forced end can reach it. */
  onChild: (pid: number) => void;
}

export interface RunningStack {
  urls: StackUrls;
  /** `undefined` when the database was not made by us and has accounts of its own. */
  credentials: Credentials | undefined;
  isFirstStart: boolean;
}

/**
 * Starts everything that `npm start` is made of. The children come up side by side while this process loads the
 * product; then the product starts on top of them. When it answers, all of it answers.
 *
 * @throws LocalStackError or ConfigError with a sentence for the user.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { environment, settings, data } = options;
  const parts = chooseEmbeddedParts(settings);
  const reserved = await reservePorts(settings, parts, data.path);
  try {
    const ports = portNumbers(reserved);
    const databaseUrl =
      settings.DATABASE_URL ?? postgresUrl(ports.POSTGRES_PORT ?? 0, data.secrets.postgresPassword);
    const complete = productEnvironment(environment, settings, parts, data, { ports, databaseUrl });
    const config = loadConfig(complete);
    await rememberPorts(data.path, ports);
    const giveUp = new AbortController();
    const onAbort = () => giveUp.abort();
    options.signal.addEventListener('abort', onAbort, { once: true });
    const starting = startChildren({ ...options, signal: giveUp.signal }, parts, reserved, ports);
    // Loading the product and bundling the workflows take seconds of this process, while the children use the rest.
    const loading = loadProduct(options.log);
    const [product] = await Promise.all([loading, ...starting]);
    // From here on the children end in their turn.
    options.signal.removeEventListener('abort', onAbort);
    options.signal.throwIfAborted();
    await reserved.PORT?.release();
    return await startProductOnTop(options, product, config, complete, parts.ses);
  } finally {
    await Promise.all(Object.values(reserved).map((port) => port.release()));
  }
}

type ReservedPorts = Partial<Record<PortName, ReservedPort>>;

async function reservePorts(
  settings: LocalEnvironment,
  parts: EmbeddedParts,
  dataDirectory: string,
): Promise<ReservedPorts> {
  const remembered = await readRememberedPorts(dataDirectory);
  const reserved: ReservedPorts = {};
  try {
    for (const name of neededPorts(parts)) {
      const host = name === 'PORT' ? settings.HOST : '127.0.0.1';
      reserved[name] = await reservePort({
        name,
        explicit: settings[name],
        remembered: remembered[name],
        host,
      });
    }
    return reserved;
  } catch (error) {
    await Promise.all(Object.values(reserved).map((port) => port.release()));
    throw error;
  }
}

type PortNumbers = Partial<Record<PortName, number>>;

function portNumbers(reserved: ReservedPorts): PortNumbers {
  const entries = Object.entries(reserved).map(([name, { port }]) => [name, port]);
  return Object.fromEntries(entries);
}

interface Child {
  pid: number;
  exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

/** Starts the embedded parts side by side. They are added to the shutdown at once, in the order of their end. */
function startChildren(
  options: StackOptions,
  parts: EmbeddedParts,
  reserved: ReservedPorts,
  ports: PortNumbers,
): Promise<unknown>[] {
  const { data, settings, signal, say } = options;
  const starting: Promise<unknown>[] = [];
  const warnOfFullDisk = onlyOnce(() => say(diskFullMessage(data.path)));

  function start(name: string, logName: string, run: (log: (line: string) => void) => Promise<Child>): void {
    const file = openLogFile({ path: join(data.path, 'logs', `${logName}.log`) });
    const running = run((line) => {
      file.writeLine(line);
      if (saysDiskFull(line)) warnOfFullDisk();
    });
    starting.push(running);
    options.shutdown.add(name, async () => {
      const child = await running.catch(() => undefined);
      await child?.stop();
      file.close();
    });
    void running.then(async (child) => {
      options.onChild(child.pid);
      const exit = await child.exited;
      if (!exit.requested) options.onFailure(unexpectedEnd(name, exit, file.path, data.path));
    }, ignore);
  }

  if (parts.postgres) {
    start('Postgres', 'postgres', async (log) => {
      await reserved.POSTGRES_PORT?.release();
      const { postgresPassword: password } = data.secrets;
      const directory = join(data.path, 'postgres');
      return startPostgres({ directory, port: ports.POSTGRES_PORT ?? 0, password, log, signal });
    });
  }
  if (parts.temporal) {
    start('Temporal', 'temporal', async (log) => {
      const binary = await findTemporalBinary({ environment: options.environment, log: say, signal });
      await Promise.all([reserved.TEMPORAL_PORT?.release(), reserved.TEMPORAL_UI_PORT?.release()]);
      const directory = join(data.path, 'temporal');
      const numbers = { port: ports.TEMPORAL_PORT ?? 0, uiPort: ports.TEMPORAL_UI_PORT ?? 0 };
      return startTemporal({
        binary,
        directory,
        ...numbers,
        namespace: settings.TEMPORAL_NAMESPACE,
        log,
        signal,
      });
    });
  }
  if (parts.ses) {
    start('The local SES', 'ses', async (log) => {
      await reserved.INBOX_PORT?.release();
      const webhookUrl = `${localApiUrl(settings, ports)}/webhooks/sns`;
      const destination = { webhookUrl, topicArn: localTopicArn };
      return startLocalSesProcess({
        dataDirectory: data.path,
        port: ports.INBOX_PORT ?? 0,
        ...destination,
        log,
        signal,
      });
    });
  }
  return starting;
}

const ignore = () => undefined;

function onlyOnce(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

/** Where this machine reaches the API, whatever its public address is. */
function localApiUrl(settings: LocalEnvironment, ports: PortNumbers): string {
  const everywhere = settings.HOST === '0.0.0.0' || settings.HOST === '::';
  const host = everywhere ? '127.0.0.1' : settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
  return `http://${host}:${ports.PORT}`;
}

function unexpectedEnd(name: string, exit: ChildExit, logFile: string, directory: string): LocalStackError {
  if (exit.lastLines.some(saysDiskFull)) return new LocalStackError(diskFullMessage(directory));
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const said = exit.lastLines.at(-1);
  return new LocalStackError(
    `${name} ended unexpectedly (${how})${said === undefined ? '' : `: ${said}`}\nIts log is ${logFile}. Everything is stopped now; your data are kept, so start again.`,
  );
}

async function loadProduct(log: Logger) {
  const [{ startProduct }, { installTemporalRuntime }, { loadWorkflowBundle }, { prepareFirstStart }] =
    await Promise.all([
      import('./product.ts'),
      import('../temporal/worker/start.ts'),
      import('../temporal/worker/workflow-bundle.ts'),
      import('./first-start.ts'),
    ]);
  installTemporalRuntime(log);
  await loadWorkflowBundle();
  return { startProduct, prepareFirstStart };
}

async function startProductOnTop(
  options: StackOptions,
  { startProduct, prepareFirstStart }: Awaited<ReturnType<typeof loadProduct>>,
  config: Config,
  environment: Record<string, string | undefined>,
  withLocalSes: boolean,
): Promise<RunningStack> {
  const { log, shutdown, settings, data } = options;
  const product = await startProduct({ config, environment, log, shutdown });
  void product.workerEnded.then(
    () => options.onFailure(new LocalStackError('The Temporal worker ended unexpectedly. Start again.')),
    options.onFailure,
  );
  const urls: StackUrls = {
    api: product.url,
    docs: `${product.url}/docs`,
    temporalUi: config.TEMPORAL_UI_URL ?? null,
    inbox: withLocalSes ? (config.SES_ENDPOINT ?? null) : null,
  };
  const { credentials, isNew } = await prepareFirstStart({
    dataDirectory: data.path,
    urls,
    withLocalSes,
    services: product.services,
    orm: product.resources.orm,
  });
  await waitUntilReady(`${localApiUrl(settings, { PORT: config.PORT })}/ready`, options.signal);
  return { urls, credentials, isFirstStart: isNew };
}

const readyTimeoutMs = 20_000;

/** Asks the API itself whether everything answers: the same that a load balancer would ask. */
async function waitUntilReady(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await fetch(url).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.ok) return;
    if (Date.now() > deadline) {
      const said = answer instanceof Error ? answer.message : (await answer.text()).slice(0, 500);
      throw new LocalStackError(`Posthaste started, but ${url} does not report everything as ready: ${said}`);
    }
    await delay(50);
  }
}
