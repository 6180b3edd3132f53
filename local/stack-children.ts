import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Shutdown } from '../runtime/shutdown.ts';
import {
  type ChildExit,
  type ChildOptions,
  type OnSpawn,
  panicIn,
  type RunningChild,
} from './child-process.ts';
import { startClickHouse } from './clickhouse.ts';
import type { DataDirectory } from './data-directory.ts';
import { type EmbeddedParts, type LocalEnvironment, localApiUrl, localTopicArn } from './environment.ts';
import { diskFullMessage, diskFullWarning, LocalStackError, saysDiskFull } from './failure.ts';
import { startLocalSesProcess } from './local-ses.ts';
import { openLogFile } from './log-file.ts';
import type { PortName, PortNumbers } from './ports.ts';
import { startPostgres } from './postgres.ts';
import type { ReservedPorts } from './stack-ports.ts';
import { startTemporal } from './temporal.ts';
import { findTemporalBinary } from './temporal-binary.ts';

interface Stack extends StackOptions {
  ports: PortNumbers;
  /** Releases a port, so that the child can listen on it. */
  take(name: PortName): Promise<number>;
}

/**
 * Starts the embedded parts concurrently, each with its own log file. All are added to the shutdown immediately,
 * whatever order they come up in, so that they end in the reverse of this order.
 *
 * @returns `spawned` settles when each child has a process (for Postgres, possibly `initdb`) or has failed
 */
export function startChildren(
  options: StackOptions,
  parts: EmbeddedParts,
  reserved: ReservedPorts,
  ports: PortNumbers,
) {
  const { data, say } = options;
  const up: Promise<unknown>[] = [];
  const spawned: Promise<unknown>[] = [];
  let hasWarned = false;

  async function take(name: PortName): Promise<number> {
    await reserved[name]?.release();
    return ports[name] ?? 0;
  }

  function start(
    name: string,
    logName: string,
    run: (stack: Stack, common: ChildOptions) => Promise<RunningChild>,
  ): void {
    const path = join(data.path, 'logs', `${logName}.log`);
    const file = openLogFile(path, { maxBytes: 10_000_000 });
    const log = (line: string) => {
      file.destination.write(`${line}\n`);
      if (!saysDiskFull(line) || hasWarned) return;
      hasWarned = true;
      say(diskFullWarning(data.path));
    };
    const spawn = Promise.withResolvers<void>();
    const onSpawn: OnSpawn = (child) => {
      options.onChild(child);
      spawn.resolve();
    };
    const running = run({ ...options, ports, take }, { log, onSpawn, signal: options.signal });
    up.push(running);
    spawned.push(Promise.race([spawn.promise, running.catch(ignore)]));
    options.shutdown.add(name, async () => {
      const child = await running.catch(() => undefined);
      await child?.stop();
      await file.close();
    });
    void running.then(async (child) => {
      const exit = await child.exited;
      if (!exit.requested) options.onFailure(unexpectedEnd(name, exit, path, data.path));
    }, ignore);
  }

  if (parts.postgres) start('Postgres', 'postgres', runPostgres);
  if (parts.clickhouse) start('ClickHouse', 'clickhouse', runClickHouse);
  if (parts.temporal) start('Temporal', 'temporal', runTemporal);
  if (parts.ses) start('The local SES', 'ses', runSes);
  return { spawned: Promise.all(spawned), up };
}

async function runPostgres({ data, take }: Stack, common: ChildOptions): Promise<RunningChild> {
  const { postgresPassword: password } = data.secrets;
  const directory = join(data.path, 'postgres');
  return startPostgres({ directory, port: await take('POSTGRES_PORT'), password, ...common });
}

async function runClickHouse({ data, take }: Stack, common: ChildOptions): Promise<RunningChild> {
  const { clickhousePassword: password } = data.secrets;
  const directory = join(data.path, 'clickhouse');
  return startClickHouse({ directory, port: await take('CLICKHOUSE_PORT'), password, ...common });
}

async function runTemporal(stack: Stack, common: ChildOptions): Promise<RunningChild> {
  const { data, settings, environment, signal, say, take } = stack;
  const binary = await findTemporalBinary({ environment, log: say, signal });
  return startTemporal({
    binary,
    directory: join(data.path, 'temporal'),
    port: await take('TEMPORAL_PORT'),
    uiPort: await take('TEMPORAL_UI_PORT'),
    namespace: settings.TEMPORAL_NAMESPACE,
    ...common,
  });
}

async function runSes({ data, settings, ports, take }: Stack, common: ChildOptions): Promise<RunningChild> {
  return startLocalSesProcess({
    dataDirectory: data.path,
    port: await take('INBOX_PORT'),
    smtpPort: await take('INBOUND_SMTP_PORT'),
    webhookUrl: `${localApiUrl(settings, ports.PORT)}/webhooks/sns`,
    topicArn: localTopicArn,
    ...common,
  });
}

const ignore = () => undefined;

function unexpectedEnd(name: string, exit: ChildExit, logFile: string, directory: string): LocalStackError {
  if (exit.lastLines.some(saysDiskFull)) return new LocalStackError(diskFullMessage(directory));
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const said =
    exit.signal === 'SIGKILL'
      ? 'did the machine run out of memory?'
      : (panicIn(exit.lastLines) ?? exit.lastLines.at(-1));
  return new LocalStackError(
    `${name} ended unexpectedly (${how})${said === undefined ? '' : `: ${said}`}\nIts log is ${logFile}. Everything has been stopped and your data is safe. Start again.`,
  );
}

export interface StackOptions {
  environment: Record<string, string | undefined>;
  settings: LocalEnvironment;
  data: DataDirectory;
  log: Logger;
  /** Ends API, worker, streams, SES, Temporal, ClickHouse and Postgres in this order. */
  shutdown: Shutdown;
  /** Aborts the start; children that are already up are ended by the shutdown. */
  signal: AbortSignal;
  say: (line: string) => void;
  onFailure: (error: unknown) => void;
  onChild: OnSpawn;
}
