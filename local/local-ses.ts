import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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

export interface LocalSesOptions {
  dataDirectory: string;
  port: number;
  smtpPort: number;
  webhookUrl: string;
  topicArn: string;
  log: (line: string) => void;
  onSpawn?: OnSpawn | undefined;
  signal?: AbortSignal | undefined;
}

export interface RunningLocalSes extends RunningChild {
  readonly url: string;
}

/**
 * Runs the local SES and its inbox in a separate process, so that a provider's work does not block the
 * product's event loop.
 * @throws LocalStackError when it does not start
 */
export async function startLocalSesProcess(options: LocalSesOptions): Promise<RunningLocalSes> {
  const { dataDirectory, port, signal } = options;
  mkdirSync(dataDirectory, { recursive: true });
  const pidFile = join(dataDirectory, 'ses.pid.json');
  await stopLeftoverChild(pidFile);
  await requireFreePort('INBOX_PORT', port);
  await requireFreePort('INBOUND_SMTP_PORT', options.smtpPort);
  let isReady = false;
  const child = await startChildProcess({
    name: 'The local SES',
    command: process.execPath,
    args: [fileURLToPath(new URL('./ses/main.ts', import.meta.url))],
    environment: {
      PATH: '/usr/bin:/bin',
      ...compileCache(),
      DATA_DIR: dataDirectory,
      INBOX_PORT: String(port),
      INBOUND_SMTP_PORT: String(options.smtpPort),
      SNS_WEBHOOK_URL: options.webhookUrl,
      SNS_TOPIC_ARN: options.topicArn,
    },
    log(line) {
      isReady ||= line.startsWith('local SES ready');
      options.log(line);
    },
    pidFile,
    onSpawn: options.onSpawn,
    signal,
  });
  await untilReady(child, {
    name: 'The local SES',
    isReady: async () => isReady,
    signal,
  });
  return { ...child, url: `http://127.0.0.1:${port}` };
}
