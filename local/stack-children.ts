import { join } from 'node:path';
import type { ChildExit } from './child-process.ts';
import { type EmbeddedParts, localApiUrl, localTopicArn } from './environment.ts';
import { diskFullMessage, LocalStackError, saysDiskFull } from './failure.ts';
import { startLocalSesProcess } from './local-ses.ts';
import { openLogFile } from './log-file.ts';
import { startPostgres } from './postgres.ts';
import type { StackOptions } from './stack-options.ts';
import type { PortNumbers, ReservedPorts } from './stack-ports.ts';
import { startTemporal } from './temporal.ts';
import { findTemporalBinary } from './temporal-binary.ts';

interface Child {
  pid: number;
  exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded parts side by side, each with a log file of its own. They are added to the shutdown at once,
 * whatever order they come up in, so that they end in the reverse of this one.
 */
export function startChildren(
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
      await Promise.all([reserved.INBOX_PORT?.release(), reserved.INBOUND_SMTP_PORT?.release()]);
      const webhookUrl = `${localApiUrl(settings, ports.PORT)}/webhooks/sns`;
      const destination = { webhookUrl, topicArn: localTopicArn };
      return startLocalSesProcess({
        dataDirectory: data.path,
        port: ports.INBOX_PORT ?? 0,
        smtpPort: ports.INBOUND_SMTP_PORT ?? 0,
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

function unexpectedEnd(name: string, exit: ChildExit, logFile: string, directory: string): LocalStackError {
  if (exit.lastLines.some(saysDiskFull)) return new LocalStackError(diskFullMessage(directory));
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const said = exit.lastLines.at(-1);
  return new LocalStackError(
    `${name} ended unexpectedly (${how})${said === undefined ? '' : `: ${said}`}\nIts log is ${logFile}. Everything is stopped now; your data are kept, so start again.`,
  );
}
