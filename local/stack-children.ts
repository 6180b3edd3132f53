import { join } from 'node:path';
import type { ChildExit, OnSpawn } from './child-process.ts';
import { startClickHouse } from './clickhouse.ts';
import { type EmbeddedParts, localApiUrl, localTopicArn } from './environment.ts';
import { diskFullMessage, LocalStackError, saysDiskFull } from './failure.ts';
import { startLocalSesProcess } from './local-ses.ts';
import { openLogFile } from './log-file.ts';
import { startPostgres } from './postgres.ts';
import type { StackOptions } from './stack-options.ts';
import type { PortNumbers, ReservedPorts } from './stack-ports.ts';
import { startTemporal } from './temporal.ts';
import { findTemporalBinary } from './temporal-binary.ts';

type Log = (line: string) => void;

interface Child {
  pid: number;
  exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

export interface StartingChildren {
  /** Settles when each has a process (that of Postgres may be `initdb`), or has failed. */
  spawned: Promise<unknown>;
  up: Promise<unknown>[];
}

/**
 * Starts the embedded parts concurrently, each with its own log file. All are added to the shutdown at once,
 * whatever order they come up in, so that they end in the reverse of this order.
 */
export function startChildren(
  options: StackOptions,
  parts: EmbeddedParts,
  reserved: ReservedPorts,
  ports: PortNumbers,
): StartingChildren {
  const { data, say } = options;
  const up: Promise<unknown>[] = [];
  const spawned: Promise<unknown>[] = [];
  const warnOfFullDisk = onlyOnce(() => say(diskFullMessage(data.path)));

  function start(name: string, logName: string, run: (log: Log, onSpawn: OnSpawn) => Promise<Child>): void {
    const file = openLogFile({ path: join(data.path, 'logs', `${logName}.log`) });
    const writeLine = (line: string) => {
      file.writeLine(line);
      if (saysDiskFull(line)) warnOfFullDisk();
    };
    const spawn = Promise.withResolvers<void>();
    const running = run(writeLine, (child) => {
      options.onChild(child);
      spawn.resolve();
    });
    up.push(running);
    spawned.push(Promise.race([spawn.promise, running.catch(ignore)]));
    options.shutdown.add(name, async () => {
      const child = await running.catch(() => undefined);
      await child?.stop();
      file.close();
    });
    void running.then(async (child) => {
      const exit = await child.exited;
      if (!exit.requested) options.onFailure(unexpectedEnd(name, exit, file.path, data.path));
    }, ignore);
  }

  if (parts.postgres)
    start('Postgres', 'postgres', (log, onSpawn) => runPostgres(options, reserved, ports, log, onSpawn));
  if (parts.clickhouse)
    start('ClickHouse', 'clickhouse', (log, onSpawn) =>
      runClickHouse(options, reserved, ports, log, onSpawn),
    );
  if (parts.temporal)
    start('Temporal', 'temporal', (log, onSpawn) => runTemporal(options, reserved, ports, log, onSpawn));
  if (parts.ses)
    start('The local SES', 'ses', (log, onSpawn) => runSes(options, reserved, ports, log, onSpawn));
  return { spawned: Promise.all(spawned), up };
}

async function runPostgres(
  { data, signal }: StackOptions,
  reserved: ReservedPorts,
  ports: PortNumbers,
  log: Log,
  onSpawn: OnSpawn,
): Promise<Child> {
  await reserved.POSTGRES_PORT?.release();
  const { postgresPassword: password } = data.secrets;
  const directory = join(data.path, 'postgres');
  return startPostgres({ directory, port: ports.POSTGRES_PORT ?? 0, password, log, onSpawn, signal });
}

async function runClickHouse(
  { data, signal }: StackOptions,
  reserved: ReservedPorts,
  ports: PortNumbers,
  log: Log,
  onSpawn: OnSpawn,
): Promise<Child> {
  await reserved.CLICKHOUSE_PORT?.release();
  const { clickhousePassword: password } = data.secrets;
  const directory = join(data.path, 'clickhouse');
  return startClickHouse({ directory, port: ports.CLICKHOUSE_PORT ?? 0, password, log, onSpawn, signal });
}

async function runTemporal(
  { data, settings, environment, signal, say }: StackOptions,
  reserved: ReservedPorts,
  ports: PortNumbers,
  log: Log,
  onSpawn: OnSpawn,
): Promise<Child> {
  const binary = await findTemporalBinary({ environment, log: say, signal });
  await Promise.all([reserved.TEMPORAL_PORT?.release(), reserved.TEMPORAL_UI_PORT?.release()]);
  return startTemporal({
    binary,
    directory: join(data.path, 'temporal'),
    port: ports.TEMPORAL_PORT ?? 0,
    uiPort: ports.TEMPORAL_UI_PORT ?? 0,
    namespace: settings.TEMPORAL_NAMESPACE,
    log,
    onSpawn,
    signal,
  });
}

async function runSes(
  { data, settings, signal }: StackOptions,
  reserved: ReservedPorts,
  ports: PortNumbers,
  log: Log,
  onSpawn: OnSpawn,
): Promise<Child> {
  await Promise.all([reserved.INBOX_PORT?.release(), reserved.INBOUND_SMTP_PORT?.release()]);
  return startLocalSesProcess({
    dataDirectory: data.path,
    port: ports.INBOX_PORT ?? 0,
    smtpPort: ports.INBOUND_SMTP_PORT ?? 0,
    webhookUrl: `${localApiUrl(settings, ports.PORT)}/webhooks/sns`,
    topicArn: localTopicArn,
    log,
    onSpawn,
    signal,
  });
}

const ignore = () => undefined;

function onlyOnce(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

function unexpectedEnd(name: string, exit: ChildExit, logFile: string, directory: string): LocalStackError {
  if (exit.lastLines.some(saysDiskFull)) return new LocalStackError(diskFullMessage(directory));
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const said = exit.lastLines.at(-1);
  return new LocalStackError(
    `${name} ended unexpectedly (${how})${said === undefined ? '' : `: ${said}`}\nIts log is ${logFile}. Everything has been stopped; your data are kept, so start again.`,
  );
}
