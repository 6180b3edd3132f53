import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, inject } from 'vitest';
import { startLocalSes } from '../../local/ses/server.ts';
import type { LocalSes } from '../../local/ses/testing/test-ses.ts';
import { freePort } from '../../local/testing/free-port.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { fileFixture } from './fixtures.ts';
import { readInbox } from './inbox.ts';
import { startApiProcess, startWorkerProcess, type TestProcess } from './processes.ts';
import { testTopic } from './product.ts';

type Kind = 'api' | 'worker';

/**
 * Everything that API and workers need to run as separate processes, which a test may kill; the state survives them.
 */
export interface ProcessStack {
  readonly url: string;
  readonly database: TestDatabase;
  readonly ses: LocalSes;
  readonly directory: string;
  /** A test may change it before it starts processes. */
  readonly environment: Record<string, string>;
  em: TestDatabase['em'];
  sql: TestDatabase['sql'];
  /** Starts an API and then a worker: until the API listens, the worker might take its port for metrics. */
  start(changes?: Record<string, string>): Promise<void>;
  startApi(changes?: Record<string, string>): Promise<TestProcess>;
  startWorker(changes?: Record<string, string>): Promise<TestProcess>;
  /** The running processes; tests of one stack leave theirs to the next. */
  running(kind: Kind): TestProcess[];
  /** The end of what each process has written. */
  output(): string;
  /** The running worker, or a new one. */
  runningWorker(changes?: Record<string, string>): Promise<TestProcess>;
  killAll(): Promise<void>;
  control(what: 'faults' | 'events', settings: Record<string, unknown>): Promise<void>;
  inboxTotal(): Promise<number>;
  inbox(): ReturnType<typeof readInbox>;
  close(): Promise<void>;
}

export async function createProcessStack(
  changes: Record<string, string> = {},
  database?: TestDatabase,
): Promise<ProcessStack> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-processes-'));
  const [port, own] = await Promise.all([freePort(), database ?? createTestDatabase(3)]);
  const ses = await startLocalSes({
    port: 0,
    dataDir: path.join(directory, 'ses'),
    webhookUrl: `http://127.0.0.1:${port}/webhooks/sns`,
    topicArn: testTopic,
  });
  const environment: Record<string, string> = {
    PORT: String(port),
    APP_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: own.url,
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `processes-${randomUUID()}`,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: `127.0.0.1:${ses.port}`,
    SNS_TOPIC_ARNS: testTopic,
    SHUTDOWN_GRACE_SECONDS: '3',
    ...changes,
  };
  const started: { kind: Kind; process: TestProcess }[] = [];
  async function keep(kind: Kind, starting: Promise<TestProcess>): Promise<TestProcess> {
    const process = await starting;
    started.push({ kind, process });
    return process;
  }
  const running = (kind: Kind): TestProcess[] =>
    started.filter((each) => each.kind === kind && each.process.isRunning).map(({ process }) => process);
  const startApi: ProcessStack['startApi'] = (more = {}) =>
    keep('api', startApiProcess({ ...environment, ...more }));
  const startWorker: ProcessStack['startWorker'] = async (more = {}) =>
    keep('worker', startWorkerProcess({ ...environment, METRICS_PORT: String(await freePort()), ...more }));
  async function killAll(): Promise<void> {
    await Promise.all(started.map(({ process }) => process.kill()));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    database: own,
    ses,
    directory,
    environment,
    em: own.em,
    sql: own.sql,
    async start(more) {
      await startApi(more);
      await startWorker(more);
    },
    startApi,
    startWorker,
    running,
    output: () =>
      started
        .map(({ kind, process }) => `${kind} ${process.pid}:\n${process.output.slice(-20_000)}`)
        .join('\n'),
    runningWorker: async (more) => running('worker')[0] ?? startWorker(more),
    killAll,
    async control(what, settings) {
      const answer = await fetch(`${ses.url}/api/${what}`, { method: 'PUT', body: JSON.stringify(settings) });
      if (!answer.ok) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
    },
    async inboxTotal() {
      const answer = await fetch(`${ses.url}/health`);
      // as: the local SES is ours and has its own tests.
      return ((await answer.json()) as { messages: number }).messages;
    },
    inbox: () => readInbox(ses, { limit: 20_000 }),
    async close() {
      await killAll();
      await ses.close();
      await own.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A stack shared by a test file. A test that fails prints what its processes have written. */
export function useProcessStack(changes?: Record<string, string>): ProcessStack {
  const stack = fileFixture(
    () => createProcessStack(changes),
    ({ close }) => close(),
  );
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(stack.output());
  });
  return stack;
}
