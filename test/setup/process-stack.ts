import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import type { Em } from '../../db/orm.ts';
import { type LocalSes, startLocalSes } from '../../local/ses/server.ts';
import { freePort } from '../../local/testing/free-port.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startApiProcess, startWorkerProcess, type TestProcess } from './processes.ts';
import { testTopic } from './product.ts';

/** What API and workers need when they are processes of their own, to be killed: nothing of it is in them. */
export interface ProcessStack {
  /** Of the API that `startApi` starts without a port of its own. */
  readonly apiUrl: string;
  readonly database: TestDatabase;
  readonly ses: LocalSes;
  /** For the files of a test; removed at the end. */
  readonly directory: string;
  /** What processes are started with; a test may change it before it starts them. */
  readonly environment: Record<string, string>;
  /** A fork of the test's own entity manager. */
  em(): Em;
  startApi(changes?: Record<string, string>): Promise<TestProcess>;
  startWorker(changes?: Record<string, string>): Promise<TestProcess>;
  /** SIGKILL for all processes that were started. */
  killAll(): Promise<void>;
  /** Puts to the control API of the local SES: `faults` or `events`. */
  control(what: 'faults' | 'events', settings: Record<string, unknown>): Promise<void>;
  /** Messages that the local SES has taken. */
  inboxTotal(): Promise<number>;
  /** The newest messages in its inbox. */
  inbox(limit?: number): Promise<{ total: number; messages: { emailId: string; to: string[] }[] }>;
  close(): Promise<void>;
}

/** Prepares database, task queue and local SES; starts no process. */
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
    // Only when a test asks for it.
    SEGMENT_COMPUTE_INTERVAL_MINUTES: '100000',
    SEGMENT_COUNT_INTERVAL_MINUTES: '100000',
    ...changes,
  };
  let running: TestProcess[] = [];
  async function keep(starting: Promise<TestProcess>): Promise<TestProcess> {
    const process = await starting;
    running.push(process);
    return process;
  }
  async function killAll(): Promise<void> {
    const ending = running;
    running = [];
    await Promise.all(ending.map((process) => process.kill()));
  }
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    database: own,
    ses,
    directory,
    environment,
    em: () => own.orm.em.fork(),
    startApi: (more = {}) => keep(startApiProcess({ ...environment, ...more })),
    startWorker: async (more = {}) =>
      keep(startWorkerProcess({ ...environment, METRICS_PORT: String(await freePort()), ...more })),
    killAll,
    async control(what, settings) {
      const answer = await fetch(`${ses.url}/api/${what}`, { method: 'PUT', body: JSON.stringify(settings) });
      if (!answer.ok) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
    },
    async inboxTotal() {
      const answer = await fetch(`${ses.url}/health`);
      // as: the local SES is ours, and the tests of its answers are its own.
      return ((await answer.json()) as { messages: number }).messages;
    },
    async inbox(limit = 20_000) {
      const answer = await fetch(`${ses.url}/api/messages?limit=${limit}`);
      // as: likewise.
      return (await answer.json()) as { total: number; messages: { emailId: string; to: string[] }[] };
    },
    async close() {
      await killAll();
      await ses.close();
      await own.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
