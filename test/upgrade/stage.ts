import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { CleanUp } from '../../bench/clean-up.ts';
import { localTopicArn } from '../../local/environment.ts';
import { startLocalSesProcess } from '../../local/local-ses.ts';
import { startPostgres } from '../../local/postgres.ts';
import { startTemporal } from '../../local/temporal.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePort, freePorts } from '../../local/testing/free-port.ts';
import { startApiProcess, startWorkerProcess, type TestProcess } from '../setup/processes.ts';
import { startTcpRelay } from '../setup/tcp-relay.ts';

export const members = [0, 1] as const;

/** Two API processes and two workers whose code changes, while the stores and the waiting work in them stay. */
export interface UpgradeStage {
  /** URL of the balancer in front of the API processes. */
  readonly apiUrl: string;
  readonly temporalAddress: string;
  readonly sesDirectory: string;
  /** Output of every process that ever ran, by process name. */
  outputs(): { name: string; output: string }[];
  read<Row extends object>(text: string, parameters?: unknown[]): Promise<Row[]>;
  /** The new process accepts requests before the old one ends, as docs/deployment.md says. */
  replaceApi(index: number): Promise<void>;
  replaceWorker(index: number): Promise<void>;
}

/** Slow, so that the campaign is still being sent while everything is replaced. */
const emailsPerSecond = 25;

export async function startUpgradeStage(root: string, cleanUp: CleanUp): Promise<UpgradeStage> {
  const directory = await mkdtemp(join(tmpdir(), 'posthaste-upgrade-'));
  // When run by root, Postgres runs as another user.
  await chmod(directory, 0o755);
  cleanUp(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const cluster = join(directory, 'postgres');
  await mkdir(cluster);
  const log = () => undefined;
  const ports = await freePorts(5);
  // Ports in use by processes: others may take a free port.
  const apiPorts: number[] = [];
  const balancer = await startTcpRelay(apiPorts);
  cleanUp(() => balancer.close());
  const postgres = await startPostgres({ directory: cluster, port: ports[0] ?? 0, password: 'test', log });
  cleanUp(() => postgres.stop());
  const temporal = await startTemporal({
    binary: await findTemporalBinary({ environment: process.env }),
    directory: join(directory, 'temporal'),
    port: ports[1] ?? 0,
    uiPort: ports[2] ?? 0,
    log,
  });
  cleanUp(() => temporal.stop());
  const apiUrl = `http://127.0.0.1:${balancer.port}`;
  const ses = await startLocalSesProcess({
    dataDirectory: directory,
    port: ports[3] ?? 0,
    smtpPort: ports[4] ?? 0,
    webhookUrl: `${apiUrl}/webhooks/sns`,
    topicArn: localTopicArn,
    log,
  });
  cleanUp(() => ses.stop());
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  cleanUp(() => client.end());

  const environment = {
    API_URL: apiUrl,
    APP_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'warn',
    DATABASE_URL: postgres.url,
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: temporal.address,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: new URL(ses.url).host,
    SNS_TOPIC_ARNS: localTopicArn,
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    EMAIL_RATE_PER_SECOND: String(emailsPerSecond),
    API_RATE_LIMIT_PER_MINUTE: '0',
    AUTO_PROJECT_DISABLE: 'false',
    UPLOADS_DIR: join(directory, 'uploads'),
    SHUTDOWN_GRACE_SECONDS: '10',
  };
  const all: { name: string; process: TestProcess }[] = [];
  const keep = async (name: string, starting: Promise<TestProcess>) => {
    const process = await starting;
    all.push({ name, process });
    return process;
  };
  cleanUp(() => Promise.all(all.map(({ process }) => process.kill())));
  const startApi = async (name: string, code?: string) => {
    const port = await freePort();
    const process = await keep(name, startApiProcess({ ...environment, PORT: String(port) }, code));
    apiPorts.push(port);
    return process;
  };
  const startWorker = async (name: string, code?: string) =>
    keep(name, startWorkerProcess({ ...environment, METRICS_PORT: String(await freePort()) }, code));
  const apis: TestProcess[] = [];
  const workers: TestProcess[] = [];
  for (const index of members) {
    apis.push(await startApi(`old API ${index + 1}`, root));
    workers.push(await startWorker(`old worker ${index + 1}`, root));
  }
  return {
    apiUrl,
    temporalAddress: temporal.address,
    sesDirectory: join(directory, 'ses'),
    outputs: () => all.map(({ name, process }) => ({ name, output: process.output })),
    read: async (text, parameters = []) => (await client.query(text, parameters)).rows,
    async replaceApi(index) {
      await startApi(`new API ${index + 1}`);
      apiPorts.shift();
      await apis[index]?.stop();
    },
    async replaceWorker(index) {
      await workers[index]?.stop();
      await startWorker(`new worker ${index + 1}`);
    },
  };
}
