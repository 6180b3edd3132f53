import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { recountCampaign } from '../db/repositories/campaigns/campaign-figures.ts';
import { sql } from '../db/sql.ts';
import { type LocalSes, startLocalSes } from '../local/ses/server.ts';
import { insertContacts } from './setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { eventually } from './setup/eventually.ts';
import { freePort } from './setup/free-port.ts';
import { startApiProcess, startWorkerProcess, type TestProcess } from './setup/processes.ts';
import { testTopic } from './setup/product.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

/** API and worker as processes of their own, to be killed in the middle of a campaign. */
let directory: string;
let database: TestDatabase;
let ses: LocalSes;
let environment: Record<string, string>;
let running: TestProcess[];
let sender: TestSender;

/** A dead run's claims are looked at after a minute, and the machine may be busy. */
const patienceMs = 420_000;
const timeout = 600_000;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthaste-campaign-faults-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

beforeEach(async () => {
  const [port, metricsPort] = [await freePort(), await freePort()];
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
    METRICS_PORT: String(metricsPort),
    APP_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `campaign-faults-${randomUUID()}`,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: `127.0.0.1:${ses.port}`,
    SNS_TOPIC_ARNS: testTopic,
    UNKNOWN_OUTCOME_SECONDS: '10',
    SHUTDOWN_GRACE_SECONDS: '3',
  };
}, 60_000);
afterEach(async () => {
  await Promise.all(running.map((process) => process.kill()));
  await ses.close();
  await database.close();
}, 60_000);

async function start(what: Promise<TestProcess>): Promise<TestProcess> {
  const process = await what;
  running.push(process);
  return process;
}

const em = () => database.orm.em.fork();
const apiUrl = () => `http://127.0.0.1:${environment.PORT}`;

async function startAll(recipients: number): Promise<TestProcess> {
  await start(startApiProcess(environment));
  const worker = await start(startWorkerProcess(environment));
  sender = await createTestSender(apiUrl());
  await insertContacts(em(), sender.projectId, recipients);
  return worker;
}

async function faults(settings: Record<string, number>): Promise<void> {
  const answer = await fetch(`${ses.url}/api/faults`, { method: 'PUT', body: JSON.stringify(settings) });
  expect(answer.status).toBe(200);
}

async function sendCampaign(): Promise<string> {
  const created = await sender.post('/campaigns', {
    name: 'News',
    subject: 'News for {{ n }}',
    body: '<p>Hello {{ n }}</p>',
    from: `news@${sender.domain}`,
    audienceType: 'ALL',
  });
  const { id } = created.body.data;
  const sent = await sender.post(`/campaigns/${id}/send`, {});
  expect(sent.status).toBe(200);
  return id;
}

async function inboxTotal(): Promise<number> {
  const answer = await fetch(`${ses.url}/health`);
  return ((await answer.json()) as { messages: number }).messages;
}

async function recipientsInInbox(): Promise<string[]> {
  const answer = await fetch(`${ses.url}/api/messages?limit=20000`);
  const { messages } = (await answer.json()) as { messages: { to: string[] }[] };
  return messages.flatMap(({ to }) => to);
}

async function statuses(id: string): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }>(
    em(),
    'select status, count(*)::int as count from emails where campaign_id = $1 group by status',
    [id],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const sumOf = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
const stats = async (id: string) => (await sender.get(`/campaigns/${id}/stats`)).body;
const statusOf = async (id: string) => (await sender.get(`/campaigns/${id}`)).body.data?.status;

/** Everyone got one, nobody two, and the books agree. */
async function expectExactlyOnce(id: string, recipients: number): Promise<void> {
  await eventually(
    () => statuses(id),
    (counts) => counts.DELIVERED === recipients,
    patienceMs,
  );
  await eventually(
    () => statusOf(id),
    (status) => status === 'SENT',
    patienceMs,
  );
  const reached = await recipientsInInbox();
  expect(reached).toHaveLength(recipients);
  expect(new Set(reached).size).toBe(recipients);
  await expectBooksAgree(id, recipients);
  expect(await stats(id)).toMatchObject({ sentCount: recipients, deliveredCount: recipients });
}

async function expectBooksAgree(id: string, recipients: number): Promise<void> {
  expect(sumOf(await statuses(id))).toBe(recipients);
  expect(await stats(id)).toMatchObject({ totalRecipients: recipients });
  expect(await recountCampaign(em(), id)).toBe(0);
  const [journal] = await sql<{ rows: number; emails: number; sent: number }>(
    em(),
    `select count(*)::int as rows, count(distinct email_id)::int as emails,
       (select count(sent_at)::int from emails where campaign_id = $1) as sent
     from events where name = 'email.sent' and campaign_id = $1`,
    [id],
  );
  expect(journal).toEqual({ rows: journal?.sent, emails: journal?.sent, sent: journal?.sent });
}

describe('a worker that is killed', () => {
  it('at ten random moments: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 5_000;
    environment.EMAIL_RATE_PER_SECOND = '200';
    let worker = await startAll(recipients);
    await faults({ latencyMs: 50 });
    const id = await sendCampaign();
    for (let kill = 0; kill < 10; kill += 1) {
      await delay(200 + Math.random() * 2_500);
      await worker.kill();
      worker = await start(startWorkerProcess(environment));
    }
    await expectExactlyOnce(id, recipients);
  });

  it('together with the API: both go on where they were', { timeout }, async () => {
    const recipients = 2_000;
    environment.EMAIL_RATE_PER_SECOND = '200';
    await startAll(recipients);
    await faults({ latencyMs: 50 });
    const id = await sendCampaign();
    await eventually(inboxTotal, (total) => total > 300, 60_000);
    await Promise.all(running.map((process) => process.kill()));
    running = [];
    await Promise.all([start(startApiProcess(environment)), start(startWorkerProcess(environment))]);
    await expectExactlyOnce(id, recipients);
  });
});

describe('a database whose connections break', () => {
  it('again and again: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 3_000;
    environment.EMAIL_RATE_PER_SECOND = '300';
    await startAll(recipients);
    const id = await sendCampaign();
    for (let cut = 0; cut < 8; cut += 1) {
      await delay(500 + Math.random() * 1_000);
      await sql(
        em(),
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name = 'posthaste'`,
      );
    }
    await expectExactlyOnce(id, recipients);
  });
});

describe('a provider that misbehaves', () => {
  it('throttles and drops replies: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 3_000;
    await startAll(recipients);
    await faults({ latencyMs: 10, throttleEvery: 4, dropReplyEvery: 5 });
    await expectExactlyOnce(await sendCampaign(), recipients);
  });

  it('refuses some: the others get it once, and those are FAILED', { timeout }, async () => {
    const recipients = 2_000;
    await startAll(recipients);
    await faults({ failEvery: 7, throttleEvery: 11, dropReplyEvery: 13 });
    const id = await sendCampaign();
    await eventually(
      () => statusOf(id),
      (status) => status === 'SENT',
      patienceMs,
    );
    const counts = await eventually(
      () => statuses(id),
      (found) => (found.DELIVERED ?? 0) + (found.FAILED ?? 0) === recipients,
      patienceMs,
    );
    expect(counts.FAILED).toBeGreaterThan(0);
    const reached = await recipientsInInbox();
    expect(new Set(reached).size).toBe(reached.length);
    expect(reached).toHaveLength(counts.DELIVERED ?? 0);
    await expectBooksAgree(id, recipients);
  });
});

describe('a cancel in the middle', () => {
  it('stops the campaign: nothing leaves but what was in hand, and the sums agree', { timeout }, async () => {
    const recipients = 5_000;
    environment.EMAIL_RATE_PER_SECOND = '400';
    await startAll(recipients);
    const id = await sendCampaign();
    await eventually(inboxTotal, (total) => total > 400, 60_000);
    expect((await sender.post(`/campaigns/${id}/cancel`, {})).status).toBe(200);
    const inHand = (await statuses(id)).SENDING ?? 0;
    const left = await inboxTotal();
    const counts = await eventually(
      () => statuses(id),
      (found) => (found.DELIVERED ?? 0) + (found.CANCELLED ?? 0) === recipients,
      patienceMs,
    );
    const reached = await recipientsInInbox();
    expect(reached.length).toBeLessThanOrEqual(left + inHand);
    expect(new Set(reached).size).toBe(reached.length);
    expect(reached).toHaveLength(counts.DELIVERED ?? 0);
    expect(counts.CANCELLED).toBeGreaterThan(0);
    expect(await statusOf(id)).toBe('CANCELLED');
    await expectBooksAgree(id, recipients);
  });
});
