import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningTemporal, startTemporal } from '../local/temporal.ts';
import { findTemporalBinary } from '../local/temporal-binary.ts';
import { freePort } from '../local/testing/free-port.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { emailStatuses } from './setup/email-statuses.ts';
import { eventually } from './setup/eventually.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { buildWait, buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { upload } from './setup/upload.ts';

const guide = readFileSync(new URL('../docs/backup.md', import.meta.url), 'utf8');

/** An SQL block of the guide, by its first line. */
function guideSql(title: string): string {
  const [, block] = guide.split(`<<'SQL'\n-- ${title}\n`);
  if (block === undefined) throw new Error(`docs/backup.md has no block "${title}"`);
  return block.slice(0, block.indexOf('\nSQL\n'));
}

const stack = useProcessStack();
let sender: TestSender;
let backup: TestDatabase;
let workflowId: string;
/** Its execution waits without a timeout for an event that has arrived before the backup. */
let endedWaitId: string;
let jobId: string;
let cancelledId: string;
let emptyTemporal: RunningTemporal;
let directory: string;

const importedRows = 300;

/** The backup is taken while no worker runs, so all accepted work waits in Temporal or, for emails, in the outbox. */
beforeAll(async () => {
  // Starts the API first: until it listens, others could take its port.
  const api = await stack.startApi();
  directory = await mkdtemp(path.join(tmpdir(), 'posthaste-restore-'));
  emptyTemporal = await startTemporal({
    binary: await findTemporalBinary({ environment: process.env }),
    directory,
    port: await freePort(),
    uiPort: await freePort(),
    log: () => undefined,
  });
  const worker = await stack.startWorker();
  sender = await createTestSender(stack.url);
  workflowId = await buildWait(sender);
  await trackEvent(sender, 'signup');
  await onlyExecution(sender, workflowId, 'WAITING');
  const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'called' } };
  const ways: [string, string][] = [
    ['start', 'wait'],
    ['wait', 'end'],
  ];
  endedWaitId = await buildWorkflow(sender, { wait, end: { type: 'EXIT' } }, ways, { eventName: 'asked' });
  await trackEvent(sender, 'asked');
  await onlyExecution(sender, endedWaitId, 'WAITING');
  await worker.kill();
  await trackEvent(sender, 'called');
  const to = Array.from({ length: 5 }, (_, n) => `reader-${n}@example.com`);
  const email = { from: `hello@${sender.domain}`, subject: 'Hello', body: '<p>Hello</p>' };
  expect((await sender.post('/v1/send', { to, ...email })).status).toBe(200);
  const campaignId = await draftCampaign(sender, { type: 'TRANSACTIONAL' });
  expect((await sender.post(`/campaigns/${campaignId}/send`, {})).status).toBe(200);
  const rows = Array.from({ length: importedRows }, (_, n) => `import-${n}@example.com`);
  const file = ['email', ...rows].join('\n');
  const imported = await upload(`${stack.url}/contacts/import`, sender.secretKey, file);
  jobId = imported.body.jobId;
  cancelledId = await insertCancelled();
  await insertReceived();
  await eventually(
    () => stack.sql("select from outbox where kind <> 'email.dispatch'"),
    (commands) => commands.length === 0,
  );
  await api.kill();
  backup = await copyOf(stack.database.url);
});
afterAll(async () => {
  await stack?.killAll();
  await backup?.close();
  await emptyTemporal?.stop();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

/** A canceled campaign, one of whose emails a worker held when it died. */
async function insertCancelled(): Promise<string> {
  const [campaign] = await stack.sql<{ id: string }>(
    `with campaign as (
       insert into campaigns
         (id, project_id, name, subject, body, from_email, type, audience_type, status, created_at, started_at, cancelled_at)
       select uuidv7(), $1, 'Old', 'Old', '', 'old@example.com', 'MARKETING', 'ALL', 'CANCELLED', at, at, at
       from (select now() - interval '1 hour' as at)
       returning id, project_id, started_at
     ),
     email as (
       insert into emails (id, project_id, campaign_id, source, status, claim_token, claimed_at, to_email, from_email)
       select uuidv7(), project_id, id, 'CAMPAIGN', 'SENDING', uuidv7(), started_at, 'a@example.com', 'old@example.com'
       from campaign
       returning id, campaign_id
     ),
     batch as (
       insert into campaign_batches (campaign_id, number, first_email_id, last_email_id, recipients)
       select campaign_id, 1, id, id, 1 from email
     )
     select id from campaign`,
    [sender.projectId],
  );
  return campaign?.id ?? '';
}

/** A received email whose workflow is gone. */
const insertReceived = () =>
  stack.sql(
    `insert into inbound_emails (id, project_id, provider_id, recipients, verdicts, source, raw, received_at)
     values (uuidv7(), $1, 'received', '{support@example.com}', '{}', 'ada@example.com', $2, now())`,
    [sender.projectId, Buffer.from('From: ada@example.com\r\nSubject: Question\r\n\r\nHello')],
  );

const receivedIsRead = (database: TestDatabase) =>
  eventually(
    () => database.sql<{ status: string }>('select status from inbound_emails'),
    ([email]) => email?.status === 'KEPT',
  );

async function copyOf(url: string): Promise<TestDatabase> {
  const { pathname } = new URL(url);
  const client = new pg.Client({
    connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
  });
  await client.connect();
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    pathname.slice(1),
  ]);
  await client.end();
  return createTestDatabase(3, pathname.slice(1));
}

/** Restores the backup, runs the SQL of the guide, and starts API and worker on it. */
async function restore(blocks: string[], changes: Record<string, string> = {}): Promise<TestDatabase> {
  await stack.killAll();
  const database = await copyOf(backup.url);
  for (const title of blocks) await database.sql(guideSql(title));
  const environment = { ...changes, DATABASE_URL: database.url };
  await stack.start(environment);
  return database;
}

const transactional = (database: TestDatabase) => emailStatuses(database, 'source = $1', 'TRANSACTIONAL');
const importEnds = () =>
  eventually(
    () => sender.get(`/contacts/import/${jobId}`),
    (answer) => answer.body.state === 'completed',
  );
const campaignIs = (status: string) =>
  eventually(
    () => sender.get('/campaigns'),
    (answer) => answer.body.data[0].status === status,
  );

it('a Postgres older than Temporal continues, and emails sent since the backup are not sent again', async () => {
  await stack.start();
  await importEnds();
  await campaignIs('SENT');
  await eventually(
    () => transactional(stack.database),
    (found) => found.DELIVERED === 5,
  );
  const before = await stack.inboxTotal();

  const restored = await restore(['hold what may have left', 'order the work again']);
  const { body } = await importEnds();
  expect(body.result).toMatchObject({ totalRows: importedRows, created: importedRows });
  await campaignIs('CANCELLED');
  await trackEvent(sender, 'bought');
  await onlyExecution(sender, workflowId, 'EXITED');
  await onlyExecution(sender, endedWaitId, 'EXITED');
  expect(await transactional(restored)).toEqual({ UNKNOWN: 5 });
  expect(await stack.inboxTotal()).toBe(before);
  await stack.killAll();
  await restored.close();
});

it('without Temporal all work is ordered again and completes', async () => {
  const restored = await restore(['order the work again'], { TEMPORAL_ADDRESS: emptyTemporal.address });
  await importEnds();
  await eventually(
    () => transactional(restored),
    (found) => found.DELIVERED === 5,
  );
  await campaignIs('SENT');
  await receivedIsRead(restored);
  const remove = () => sender.delete(`/campaigns/${cancelledId}`);
  expect(await eventually(remove, ({ status }) => status !== 409)).toMatchObject({ status: 204 });
  await trackEvent(sender, 'bought');
  await onlyExecution(sender, workflowId, 'EXITED');
  await onlyExecution(sender, endedWaitId, 'EXITED');
  await stack.killAll();
  await restored.close();
});

it('before a downgrade, a script leaves nothing on the task queue of jobs, and Temporal starts nothing there', async () => {
  const { address } = emptyTemporal;
  const restored = await restore(['order the work again'], { TEMPORAL_ADDRESS: address });
  await importEnds();
  await stack.killAll();
  const binary = await findTemporalBinary({ environment: process.env });
  const env = { PATH: `${path.dirname(binary)}:/usr/bin:/bin`, HOME: directory, TEMPORAL_ADDRESS: address };
  const run = (command: string, args: string[]) => execa(command, args, { env, extendEnv: false });
  const queue = stack.environment.TEMPORAL_TASK_QUEUE ?? '';
  const count = async () => {
    const query = `TaskQueue = '${queue}-jobs' and ExecutionStatus = 'Running'`;
    return (await run(binary, ['workflow', 'count', '--query', query])).stdout;
  };
  expect(await count()).not.toBe('Total: 0');
  const { stdout } = await run('/bin/sh', ['deploy/temporal/before-downgrade.sh', queue]);
  expect(stdout).toContain(`No workflow is left on the task queue ${queue}-jobs`);
  expect(await count()).toBe('Total: 0');
  expect((await run(binary, ['schedule', 'list'])).stdout).not.toMatch(/(sweep|segments)\//);
  await restored.close();
});
