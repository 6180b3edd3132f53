import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { sql } from '../db/sql.ts';
import { type LocalSes, startLocalSes } from '../local/ses/server.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { newSegmentComputation } from '../temporal/contracts/segments.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { eventually } from './setup/eventually.ts';
import { freePort } from './setup/free-port.ts';
import { startApiProcess, startWorkerProcess, type TestProcess } from './setup/processes.ts';
import { testTopic } from './setup/product.ts';
import { findWrongCounts } from './setup/read-database.ts';
import { createSegment, planIs } from './setup/segments.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

/** Several batches of a computation. */
const contactCount = 130_000;

let directory: string;
let database: TestDatabase;
let ses: LocalSes;
let environment: Record<string, string>;
let running: TestProcess[];
let sender: TestSender;
let segmentId: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthaste-segment-faults-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

beforeEach(async () => {
  const port = await freePort();
  database = await createTestDatabase(3);
  ses = await startLocalSes({
    port: 0,
    dataDir: path.join(directory, randomUUID()),
    webhookUrl: `http://127.0.0.1:${port}/webhooks/sns`,
    topicArn: testTopic,
  });
  running = [];
  environment = {
    PORT: String(port),
    METRICS_PORT: String(await freePort()),
    APP_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `segment-faults-${randomUUID()}`,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: `127.0.0.1:${ses.port}`,
    SNS_TOPIC_ARNS: testTopic,
    SEGMENT_COMPUTE_INTERVAL_MINUTES: '100000',
    SEGMENT_COUNT_INTERVAL_MINUTES: '100000',
  };
  await start(startApiProcess(environment));
  sender = await createTestSender(`http://127.0.0.1:${port}`);
  await sql(
    database.orm.em.fork(),
    `insert into contacts (id, project_id, email, data, created_at)
     select uuidv7(), $1, n || '@example.com', '{"plan": "pro"}', now() - n * interval '1 second'
     from generate_series(1, ${contactCount}) n`,
    [sender.projectId],
  );
  const segment = await createSegment(sender, {
    name: 'Pro',
    condition: planIs('pro'),
    trackMembership: true,
  });
  segmentId = segment.id;
  expect(segment.memberCount).toBe(contactCount);
}, 120_000);
afterEach(async () => {
  await Promise.all(running.map((process) => process.kill()));
  await ses.close();
  await database.close();
});

async function start(what: Promise<TestProcess>): Promise<TestProcess> {
  const process = await what;
  running.push(process);
  return process;
}

/** Entry events, and how many contacts they are about. */
async function entries(): Promise<{ rows: number; contacts: number }> {
  const [row] = await sql<{ rows: number; contacts: number }>(
    database.orm.em.fork(),
    `select count(*)::int as rows, count(distinct contact_id)::int as contacts from events
     where project_id = $1 and name = 'segment.pro.entry'`,
    [sender.projectId],
  );
  return row ?? { rows: 0, contacts: 0 };
}

const everyContactOnce = { rows: contactCount, contacts: contactCount };

describe('a computation whose worker is killed in the middle', () => {
  it('goes on in another one, and every entry is told once', { timeout: 240_000 }, async () => {
    const worker = await start(startWorkerProcess(environment));
    const temporal = createTemporalClient({ environment, dataConverter: undefined });
    const workflow = await temporal.workflow.start('segmentComputation', {
      taskQueue: environment.TEMPORAL_TASK_QUEUE ?? '',
      workflowId: randomUUID(),
      args: [newSegmentComputation],
    });
    await eventually(entries, ({ rows }) => rows > 0, 60_000);
    await worker.kill();
    const { rows } = await entries();
    expect(rows).toBeLessThan(contactCount);
    await start(startWorkerProcess({ ...environment, METRICS_PORT: String(await freePort()) }));
    expect(await workflow.result()).toMatchObject({ segments: 1, failed: 0, removed: 0 });
    await temporal.connection.close();
    expect(await entries()).toEqual(everyContactOnce);
    expect(await findWrongCounts(database.orm.em.fork(), sender.projectId)).toEqual([]);
    expect((await sender.get(`/segments/${segmentId}`)).body.memberCount).toBe(contactCount);

    // In a project of this size pages show the kept count, until one of them shows where the members end.
    const page = async (number: number) =>
      (await sender.get(`/segments/${segmentId}/contacts?page=${number}&pageSize=100`)).body;
    await sql(
      database.orm.em.fork(),
      `update contacts set data = '{}' where project_id = $1 and email in ('7@example.com', '8@example.com')`,
      [sender.projectId],
    );
    const pages = contactCount / 100;
    expect(await page(1)).toMatchObject({ total: contactCount, totalPages: pages });
    const last = await page(pages);
    expect([last.data.length, last.total]).toEqual([98, contactCount - 2]);
    expect(await page(pages + 5)).toMatchObject({ data: [], total: contactCount });
  });
});

describe('a segment that two processes compute at once', () => {
  it('tells every entry and every exit once', { timeout: 240_000 }, async () => {
    const port = await freePort();
    await start(startApiProcess({ ...environment, PORT: String(port) }));
    const urls = [environment.PORT, port, environment.PORT, port].map((one) => `http://127.0.0.1:${one}`);
    const computeEverywhere = async () => {
      const answers = await Promise.all(
        urls.map(async (url) => {
          const answer = await fetch(`${url}/segments/${segmentId}/compute`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${sender.secretKey}` },
          });
          expect(answer.status).toBe(200);
          return (await answer.json()) as { added: number; removed: number; total: number };
        }),
      );
      const sum = (key: 'added' | 'removed') => answers.reduce((total, answer) => total + answer[key], 0);
      return {
        added: sum('added'),
        removed: sum('removed'),
        totals: [...new Set(answers.map(({ total }) => total))],
      };
    };
    expect(await computeEverywhere()).toEqual({ added: contactCount, removed: 0, totals: [contactCount] });
    expect(await entries()).toEqual(everyContactOnce);
    await sql(
      database.orm.em.fork(),
      `update contacts set data = '{"plan": "free"}' where project_id = $1 and email like '%1@example.com'`,
      [sender.projectId],
    );
    const left = contactCount / 10;
    expect(await computeEverywhere()).toEqual({ added: 0, removed: left, totals: [contactCount - left] });
    expect(await findWrongCounts(database.orm.em.fork(), sender.projectId)).toEqual([]);
  });
});
