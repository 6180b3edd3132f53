import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildExit, startChildProcess, stopLeftoverChild } from './child-process.ts';
import { LocalStackError } from './failure.ts';
import { requireFreePort } from './ports.ts';

export interface LocalSesOptions {
  /** The data folder of the stack; the local SES keeps to its own folder in there. */
  dataDirectory: string;
  /** A port that is free on 127.0.0.1 now. */
  port: number;
  /** The same, for emails that come in by SMTP. */
  smtpPort: number;
  /** Where events are published, and on which topic. */
  webhookUrl: string;
  topicArn: string;
  log: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/** The local SES as a process of its own, answering. */
export interface RunningLocalSes {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;

/**
 * Starts the local SES with its inbox. A process of its own keeps the work of the pretended provider off the
 * event loop of the product, as it is with the real one.
 *
 * @throws LocalStackError when it does not come up.
 */
export async function startLocalSesProcess(options: LocalSesOptions): Promise<RunningLocalSes> {
  const { dataDirectory, port, signal } = options;
  mkdirSync(dataDirectory, { recursive: true });
  const pidFile = join(dataDirectory, 'ses.pid.json');
  await stopLeftoverChild(pidFile);
  await requireFreePort('INBOX_PORT', port);
  await requireFreePort('INBOUND_SMTP_PORT', options.smtpPort);
  let onReady = () => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const child = await startChildProcess({
    name: 'The local SES',
    command: process.execPath,
    args: [fileURLToPath(new URL('./ses/main.ts', import.meta.url))],
    environment: {
      PATH: '/usr/bin:/bin',
      DATA_DIR: dataDirectory,
      INBOX_PORT: String(port),
      INBOUND_SMTP_PORT: String(options.smtpPort),
      SNS_WEBHOOK_URL: options.webhookUrl,
      SNS_TOPIC_ARN: options.topicArn,
    },
    log(line) {
      if (line.startsWith('local SES ready')) onReady();
      options.log(line);
    },
    pidFile,
    signal,
  });
  const outcome = await Promise.race([
    ready.then(() => 'ready' as const),
    child.exited,
    new Promise<'late'>((resolve) => {
      setTimeout(() => resolve('late'), startTimeoutMs).unref();
    }),
  ]);
  if (outcome === 'ready') {
    return { url: `http://127.0.0.1:${port}`, pid: child.pid, exited: child.exited, stop: child.stop };
  }
  await child.stop();
  signal?.throwIfAborted();
  throw new LocalStackError(
    outcome === 'late'
      ? 'The local SES did not answer within half a minute; its log tells why.'
      : `The local SES ended while it was starting: ${outcome.lastLines.findLast((line) => /error/i.test(line)) ?? outcome.lastLines.at(-1) ?? 'no output'}`,
  );
}
