import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CleanUp } from '../../bench/clean-up.ts';
import type { Em } from '../../db/orm.ts';
import { localTopicArn } from '../../local/environment.ts';
import { startLocalSesProcess } from '../../local/local-ses.ts';
import { freePort, freePorts } from '../../local/testing/free-port.ts';
import { startOwnClickHouse } from '../../local/testing/own-clickhouse.ts';
import { type OwnPostgres, startOwnPostgres } from '../setup/own-postgres.ts';
import { startApiProcess, startWorkerProcess } from '../setup/processes.ts';
import { startTcpRelay, type TcpRelay } from '../setup/tcp-relay.ts';
import { keepRunning, type Member } from './member.ts';
import { startDevelopmentServer, type TemporalMachine } from './temporal-machine.ts';
import type { TemporalPrograms } from './temporal-programs.ts';
import { startTemporalServer } from './temporal-server.ts';

const membersOfEach = 3;
/** The limit of the smallest instances of cloud providers. */
const connections = 65;

/** The engine of `npm start`. */
export interface ClickHouseMachine {
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Several machines, simulated by processes: any of them may be killed or cut off, and its stored data survives. */
export interface Stage {
  /** URL of the balancer in front of the API processes. */
  readonly apiUrl: string;
  readonly apis: readonly Member[];
  readonly workers: readonly Member[];
  readonly postgres: OwnPostgres;
  readonly temporal: TemporalMachine;
  readonly temporalLine: TcpRelay;
  readonly clickhouse: ClickHouseMachine;
  readonly clickhouseLine: TcpRelay;
  readonly ses: { readonly url: string; readonly directory: string };
  em(): Em;
}

/** @param temporalPrograms programs of the deployed server; without them, the development server is used */
export async function startStage(
  settings: Record<string, string>,
  temporalPrograms: TemporalPrograms | undefined,
  cleanUp: CleanUp,
): Promise<Stage> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-rehearse-'));
  // When run by root, Postgres runs as another user.
  await chmod(directory, 0o755);
  cleanUp(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const [postgres, temporal, clickhouse] = await Promise.all([
    startOwnPostgres({ max_connections: String(connections) }),
    temporalPrograms === undefined
      ? startDevelopmentServer(directory)
      : startTemporalServer(temporalPrograms, directory),
    startClickHouse(path.join(directory, 'clickhouse')),
  ]);
  cleanUp(() => postgres.close());
  cleanUp(() => temporal.close());
  cleanUp(() => clickhouse.kill());
  const apiPorts = await freePorts(membersOfEach);
  const [balancer, temporalLine, clickhouseLine] = await Promise.all([
    startTcpRelay(apiPorts),
    startTcpRelay([temporal.port]),
    startTcpRelay([Number(new URL(clickhouse.url).port)]),
  ]);
  for (const relay of [balancer, temporalLine, clickhouseLine]) cleanUp(() => relay.close());
  const apiUrl = `http://127.0.0.1:${balancer.port}`;
  const ses = await startLocalSesProcess({
    dataDirectory: directory,
    port: await freePort(),
    smtpPort: await freePort(),
    webhookUrl: `${apiUrl}/webhooks/sns`,
    topicArn: localTopicArn,
    log: () => undefined,
  });
  cleanUp(() => ses.stop());
  const environment = {
    ...productEnvironment(postgres.url, ses.url, apiUrl),
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalLine.port}`,
    CLICKHOUSE_URL: `http://127.0.0.1:${clickhouseLine.port}`,
    UPLOADS_DIR: path.join(directory, 'uploads'),
    ...settings,
  };
  const apis = apiPorts.map((port, index) =>
    keepRunning(`API ${index + 1}`, () => startApiProcess({ ...environment, PORT: String(port) })),
  );
  const workers = await Promise.all(
    Array.from({ length: membersOfEach }, async (_, index) => {
      const own = { ...environment, METRICS_PORT: String(await freePort()) };
      return keepRunning(`worker ${index + 1}`, () => startWorkerProcess(own));
    }),
  );
  for (const member of [...apis, ...workers]) cleanUp(() => member.close());
  await Promise.all([...apis, ...workers].map((member) => member.untilReady()));
  return {
    apiUrl,
    apis,
    workers,
    postgres,
    temporal,
    temporalLine,
    clickhouse,
    clickhouseLine,
    ses: { url: ses.url, directory: path.join(directory, 'ses') },
    em: () => postgres.orm.em.fork(),
  };
}

async function startClickHouse(directory: string): Promise<ClickHouseMachine> {
  let front = await startOwnClickHouse(directory);
  return {
    url: front.url,
    kill: () => front.kill(),
    async start() {
      front = await startOwnClickHouse(directory, front.port);
    },
  };
}

/**
 * Three API processes with 7 connections each and three workers with 13 (5, 6 for campaigns, the journal and the change
 * listener) leave a few of Postgres's 65 for the checks.
 */
function productEnvironment(databaseUrl: string, sesUrl: string, apiUrl: string): Record<string, string> {
  return {
    API_URL: apiUrl,
    APP_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '5',
    SES_ENDPOINT: sesUrl,
    SNS_LOCAL_HOST: new URL(sesUrl).host,
    SNS_TOPIC_ARNS: localTopicArn,
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    API_RATE_LIMIT_PER_MINUTE: '0',
    AUTO_PROJECT_DISABLE: 'false',
    SHUTDOWN_GRACE_SECONDS: '5',
  };
}
