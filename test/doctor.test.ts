import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { loadConfig } from '../core/config/load.ts';
import { nilId } from '../core/nil-id.ts';
import { checkAgreement } from '../doctor/drift.ts';
import { type Finding, type Level, worstLevel } from '../doctor/finding.ts';
import { connectReadOnly } from '../doctor/read-only.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { checkTemporal } from '../doctor/temporal.ts';
import { freePort } from '../local/testing/free-port.ts';
import { startOwnClickHouse } from '../local/testing/own-clickhouse.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { emailTaskQueue } from '../temporal/contracts/task-queues.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { useTestProduct } from './setup/product.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { useOneSender } from './setup/sender.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const stack = useTestProduct();
const sender = useOneSender(stack);
const client = fileFixture(
  () => createTemporalClient(stack.environment),
  ({ connection }) => connection.close(),
);

// The domain of a test sender has no workflow.
beforeAll(() =>
  stack.sql(
    `insert into outbox (id, kind, subject_id, project_id) select uuidv7(), 'domain.verify', id, project_id from domains`,
  ),
);

interface Report {
  status: Level;
  findings: Finding[];
}

const environmentWith = (changes: Record<string, string>) => ({
  ...stack.environment,
  ...changes,
});

function doctor(changes: Record<string, string> = {}, ...args: string[]) {
  return execa(process.execPath, ['doctor/main.ts', ...args], {
    cwd: root,
    env: environmentWith(changes),
    reject: false,
  });
}

/** What the doctor rightly reports if the machine is too busy to answer within five seconds. */
const isLate = ({ text }: Finding) => /timeout|timed out|deadline|no answer within/i.test(text);

/** Runs the doctor in this process, because its command takes seconds to load, until everything answers in time. */
async function examine(changes: Record<string, string> = {}): Promise<Report> {
  const environment = environmentWith(changes);
  const findings = await eventually(
    () => runDoctor(loadConfig(environment), environment),
    (found) => !found.some(isLate),
  );
  return { status: worstLevel(findings), findings };
}

const errors = ({ findings }: Report) => findings.filter(({ level }) => level === 'error');

it('finds nothing wrong with a working product', async () => {
  // If the machine is too busy to answer within five seconds, the doctor rightly reports an error; repeat.
  const { stdout } = await eventually(
    () => doctor({}, '--json'),
    ({ exitCode }) => exitCode === 0,
  );
  const report: Report = JSON.parse(stdout);
  expect(errors(report)).toEqual([]);
  const areas = new Set(report.findings.map(({ area }) => area));
  for (const area of [
    'Postgres',
    'Migrations',
    'Outbox',
    'Sending',
    'Stream',
    'Temporal',
    'Agreement',
    'ClickHouse',
    'Provider',
  ]) {
    expect(areas).toContain(area);
  }
  const said = report.findings.map(({ area, text }) => `${area}: ${text}`).join('\n');
  expect(said).toMatch(/Postgres: 18\.\d+ .*answers/);
  expect(said).toContain('Temporal: all task queues have workers');
  expect(said).toMatch(/Provider: \d+ of \d+ emails used in the last 24 hours, \d+ a second granted/);
});

it('prints a table', async () => {
  const { stdout } = await eventually(doctor, ({ exitCode }) => exitCode === 0);
  expect(stdout).toMatch(/^✓ Migrations +all \d+ are applied$/m);
  expect(stdout).toMatch(/^! Postgres|^! Configuration/m);
  expect(stdout).toMatch(/^ +→ \S/m);
});

it('names dead commands, their reason and the statement that revives them', async () => {
  await stack.sql(
    `insert into outbox (id, kind, subject_id, attempts, last_error, dead_at)
     values (uuidv7(), 'contact.snooze', uuidv7(), 12, 'INVALID_ARGUMENT: no such attribute', now())`,
  );
  const { stdout, exitCode } = await eventually(
    () => doctor({}, '--json'),
    (answer) => !JSON.parse(answer.stdout).findings.some(isLate),
  );
  expect(exitCode).toBe(1);
  expect(errors(JSON.parse(stdout))).toEqual([
    {
      area: 'Outbox',
      level: 'error',
      text: '1 dead commands contact.snooze: INVALID_ARGUMENT: no such attribute',
      remedy: expect.stringContaining('update outbox set dead_at = null'),
    },
  ]);
  await stack.sql('delete from outbox where dead_at is not null');
});

it('warns for a week of events that ClickHouse refused', async () => {
  const refusedAt = (age: string) =>
    stack.sql(
      `insert into stream_positions (name, xid, event_id, refused_rows, refused_at)
       values ('clickhouse', '0', $2, 3, now() - $1::interval)
       on conflict (name) do update set refused_rows = excluded.refused_rows, refused_at = excluded.refused_at`,
      [age, nilId],
    );
  const found = async () =>
    (await examine()).findings.filter(({ text }) => text.includes('refused 3 events'));
  await refusedAt('1 hour');
  expect(await found()).toMatchObject([{ area: 'Stream', level: 'warning' }]);
  await refusedAt('8 days');
  expect(await found()).toEqual([]);
});

it('names commands that have waited too long, with their project, beside many others', async () => {
  await stack.sql(
    `insert into outbox (id, kind, subject_id, project_id, created_at, next_attempt_at)
     values (uuidv7(), 'email.dispatch', uuidv7(), $1, now() - interval '10 minutes', now() + interval '1 hour')`,
    [sender.projectId],
  );
  await stack.sql(
    `insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
     select uuidv7(), 'contact.snooze', uuidv7(), project_id, now() + interval '1 hour'
     from (select uuidv7() as project_id from generate_series(1, 5)) p, generate_series(1, 2)`,
  );
  const report = await examine();
  expect(report.status).toBe('error');
  expect(errors(report)).toMatchObject([
    {
      text: expect.stringMatching(/^1 email\.dispatch of "Project \d+" \(.+\) wait, the oldest for 10 min$/),
    },
  ]);
  await stack.sql(`delete from outbox where kind in ('email.dispatch', 'contact.snooze')`);
});

it('says why a campaign is paused', async () => {
  const id = await draftCampaign(sender);
  const become = (status: string, isDisabled: boolean) =>
    stack.sql(
      `with project as (update projects set disabled = $3 where id = $4)
       update campaigns set status = $2, started_at = now() - interval '2 days' where id = $1`,
      [id, status, isDisabled, sender.projectId],
    );
  await become('SENDING', true);
  const said = (await examine()).findings.filter(({ area }) => area === 'Sending');
  expect(said.map(({ level, text }) => [level, text])).toEqual([
    [
      'warning',
      'the campaign "News" to 0 recipients has been running for 2 days; it is paused: project disabled',
    ],
    ['ok', 'no email of the last day is deferred'],
  ]);
  await become('DRAFT', false);
});

it("quotes the provider's answers to emails that do not leave, without addresses", async () => {
  const insert = (status: string, reason: string, count: number) =>
    stack.sql(
      `insert into emails (id, project_id, source, to_email, from_email, status, reason)
       select uuidv7(interval '-20 minutes'), $1, 'TRANSACTIONAL', 'a@example.com', 'b@example.com', $2,
         replace($3, '#', i::text) from generate_series(1, $4::int) i`,
      [sender.projectId, status, reason, count],
    );
  const faults = (throttleEvery: number) =>
    fetch(`${stack.ses.url}/api/faults`, { method: 'PUT', body: JSON.stringify({ throttleEvery }) });
  const found = async () =>
    (await examine()).findings.filter(({ area, level }) => area === 'Sending' && level !== 'ok');

  await insert('FAILED', 'MessageRejected: not verified: reader-#@example.com', 20);
  await faults(1);
  const from = `hello@${sender.domain}`;
  await sender.post('/v1/send', { to: 'a@example.com', from, subject: 'Hello', body: '<p>Hello</p>' });
  expect(await eventually(found, ({ length }) => length > 0)).toMatchObject([
    {
      level: 'warning',
      text: expect.stringMatching(/^1 emails are deferred, .+: TooManyRequestsException: /),
    },
  ]);
  await faults(0);
  await eventually(found, ({ length }) => length === 0);

  await insert('FAILED', 'MessageRejected: not verified: other-#@example.com', 1);
  await insert('QUEUED', 'AccessDeniedException: no permission to send as <reader-#@example.com>', 2);
  expect(await found()).toMatchObject([
    { level: 'warning', text: '21 emails of the last day failed: MessageRejected: not verified: …' },
    {
      level: 'error',
      text: '2 emails are deferred, the oldest for 20 min: AccessDeniedException: no permission to send as <…>',
    },
  ]);
  await stack.sql(`delete from emails where reason is not null`);
});

it('says that emails leave and no delivery event arrives, unless there are none to expect', async () => {
  const said = async (changes: Record<string, string> = {}) =>
    (await examine(changes)).findings.filter(({ text }) => text.includes('sent no event'));
  const insert = (count: number) =>
    stack.sql(
      `insert into emails (id, project_id, source, to_email, from_email, status, sent_at)
       select uuidv7(interval '-20 minutes'), $1, 'TRANSACTIONAL', 'a@example.com', 'b@example.com', 'SENT',
         now() - interval '20 minutes' from generate_series(1, $2::int)`,
      [sender.projectId, count],
    );
  await insert(19);
  expect(await said()).toEqual([]);
  await insert(1);
  expect(await said()).toMatchObject([
    { area: 'Sending', level: 'error', remedy: expect.stringContaining('No delivery events arrive') },
  ]);
  expect(await said({ SNS_TOPIC_ARNS: '' })).toEqual([]);
  await stack.sql(
    `update emails set status = 'DELIVERED', delivered_at = now()
     where id = (select id from emails where from_email = 'b@example.com' limit 1)`,
  );
  expect(await said()).toEqual([]);
  await stack.sql(`delete from emails where from_email = 'b@example.com'`);
});

it('names an execution whose workflow was terminated', async () => {
  const id = await buildWorkflow(sender, { nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
    ['start', 'nap'],
  ]);
  await trackEvent(sender, 'signup', {}, 'stuck@example.com');
  const { id: executionId, contactId } = await onlyExecution(sender, id, 'WAITING');
  await stack.sql(`update workflow_executions set started_at = now() - interval '1 hour' where id = $1`, [
    executionId,
  ]);
  const workflowId = `workflow/${id}/contact/${contactId}/${executionId}`;
  expect(errors(await examine())).toEqual([]);

  await client.workflow.getHandle(workflowId).terminate('by mistake');
  const report = await examine();
  expect(report.status).toBe('error');
  expect(errors(report)).toMatchObject([
    {
      area: 'Agreement',
      text: `1 of a sample are in progress in Postgres but have no open workflow in Temporal: ${workflowId}`,
    },
  ]);
  await stack.sql('delete from event_listeners where execution_id = $1', [executionId]);
  await stack.sql('delete from workflow_executions where id = $1', [executionId]);
  expect(errors(await examine())).toEqual([]);
});

it('names a domain, a job, a deletion and an erasure whose workflow is not in Temporal', async () => {
  const added = await sender.post('/domains', { domain: 'watched.test' });
  const projectId = sender.projectId;
  const insert = (sql: string) => stack.sql<{ id: string }>(`${sql} returning id`, [projectId]);
  await stack.sql(`update domains set created_at = now() - interval '1 hour' where id = $1`, [added.body.id]);
  await eventually(examine, (report) => errors(report).length === 0);

  await client.workflow.getHandle(`domain-verification/${added.body.id}`).terminate('by mistake');
  const [job] = await insert(
    `insert into jobs (id, project_id, type, created_at) values (uuidv7(), $1, 'import', now() - interval '1 hour')`,
  );
  const [deletion] = await insert(
    `insert into event_deletions (id, project_id, name, before, created_at)
     values (uuidv7(), $1, 'gone', now(), now() - interval '1 hour')`,
  );
  const stopped = `contact-import/${job?.id}, domain-verification/${added.body.id}, event-deletion/${deletion?.id}`;
  const say = (count: number, names: string) => [
    {
      area: 'Agreement',
      text: `${count} of a sample have no open workflow in Temporal, and nothing starts them again: ${names}`,
    },
  ];
  expect(errors(await examine())).toMatchObject(say(3, stopped));
  await stack.sql('delete from jobs where id = $1', [job?.id]);
  await stack.sql('delete from event_deletions where id = $1', [deletion?.id]);
  await stack.sql(
    `insert into outbox (id, kind, subject_id, project_id) select uuidv7(), 'domain.verify', id, project_id from domains`,
  );
  await eventually(examine, (report) => errors(report).length === 0);

  // Of a deleted project that has paid, and of a reset whose data is still in ClickHouse. Another reset is over.
  const [gone, reset] = await stack.sql<{ id: string }>(
    `insert into project_erasures (id, project_id, before, is_reset, erased_at, created_at)
     values (uuidv7(), uuidv7(), now(), false, null, now() - interval '2 hours'),
       (uuidv7(), $1, now(), true, now(), now() - interval '1 hour'),
       (uuidv7(), uuidv7(), now(), true, now(), now() - interval '1 hour') returning id, project_id`,
    [projectId],
  );
  await stack.sql(
    `insert into billing_customers (project_id, customer_id, updated_at)
     select project_id, 'cus_gone', now() - interval '1 hour' from project_erasures where id = $1`,
    [gone?.id],
  );
  await stack.sql(
    `insert into events (id, project_id, kind, name, occurred_at, data) values ($1, $2, 'activity', 'project.erased', now(), '{}')`,
    [reset?.id, projectId],
  );
  const [{ project_id: goneProject } = { project_id: '' }] = await stack.sql<{ project_id: string }>(
    'select project_id from billing_customers',
  );
  const names = `billing-end/${goneProject}, project-erasure/${gone?.id}, project-erasure/${reset?.id}`;
  expect(errors(await examine())).toMatchObject(say(3, names));
  await stack.sql('delete from project_erasures');
  await stack.sql('delete from billing_customers');
  await stack.sql('delete from events where id = $1', [reset?.id]);
  await eventually(examine, (report) => errors(report).length === 0);
});

it('names a workflow whose workflow tasks fail', async () => {
  const workflowId = `email-batch/${randomUUID()}`;
  const taskQueue = emailTaskQueue(stack.environment.TEMPORAL_TASK_QUEUE ?? '');
  const handle = await client.workflow.start('ofAnotherVersion', { workflowId, taskQueue });
  // Temporal marks it after five failures, between which it waits up to half a minute.
  const { findings } = await eventually(examine, (report) => errors(report).length > 0, 240_000);
  await handle.terminate('known');
  expect(findings).toContainEqual(
    expect.objectContaining({
      area: 'Temporal',
      level: 'error',
      text: `1 workflows stand still, because their workflow tasks fail: ${workflowId}`,
    }),
  );
});

describe('the workers', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it("are running according to Temporal's clock, whatever ours says", async () => {
    for (const minutes of [-10, 10]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
      const found = await checkTemporal(client, loadConfig(stack.environment));
      expect(found.filter(({ level }) => level === 'error')).toEqual([]);
      expect(found.map(({ text }) => text)).toContain('all task queues have workers');
      vi.useRealTimers();
    }
  });

  it('are missing from every queue that nobody polls', async () => {
    const nobody = { ...stack.environment, TEMPORAL_TASK_QUEUE: 'nobody' };
    const found = await checkTemporal(client, loadConfig(nobody));
    expect(found.filter(({ level }) => level === 'error')).toMatchObject([
      {
        area: 'Temporal',
        text: 'no worker polls nobody, nobody-jobs, nobody-emails, nobody-inbound, nobody-erasures, nobody-campaigns',
      },
    ]);
  });

  it('have no sweeps while the schedules are paused', async () => {
    const found = await checkTemporal(client, loadConfig(stack.environment));
    expect(found.filter(({ level }) => level === 'warning')).toMatchObject([
      { area: 'Temporal', text: expect.stringMatching(/^schedules are paused: sweep\/campaigns, /) },
    ]);
  });

  it('are reported missing although Temporal still lists those that have ended', async () => {
    // For five minutes. The schedule that tells Temporal's time may be late on a busy machine.
    const { workflowService } = client;
    const describeTaskQueue = workflowService.describeTaskQueue.bind(workflowService);
    vi.spyOn(workflowService, 'describeTaskQueue').mockImplementation(async (request) => {
      const found = await describeTaskQueue(request);
      for (const { lastAccessTime } of found.pollers) {
        if (lastAccessTime?.seconds) lastAccessTime.seconds = lastAccessTime.seconds.sub(290);
      }
      return found;
    });
    const found = await checkTemporal(client, loadConfig(stack.environment));
    expect(found.filter(({ level }) => level === 'error')).toMatchObject([
      { area: 'Temporal', text: expect.stringMatching(/^no worker has asked for work for \d+ min$/) },
    ]);
  });
});

it('names a workflow whose execution is gone', async () => {
  const id = await buildWorkflow(sender, { nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
    ['start', 'nap'],
  ]);
  await trackEvent(sender, 'signup', {}, 'orphan@example.com');
  const { id: executionId, contactId } = await onlyExecution(sender, id, 'WAITING');
  const database = await connectReadOnly(stack.database.url);
  const inAWhile = new Date(Date.now() + 3_600_000);
  const compare = () =>
    checkAgreement(database, client, stack.environment.TEMPORAL_TASK_QUEUE ?? '', inAWhile);
  expect(await compare()).toMatchObject([{ level: 'ok' }]);
  await stack.sql('delete from workflow_executions where id = $1', [executionId]);
  const workflowId = `workflow/${id}/contact/${contactId}/${executionId}`;
  // Temporal's visibility lists lag a little.
  await eventually(
    compare,
    ([found]) => found?.level === 'warning' && found.text.endsWith(`: ${workflowId}`),
  );
  await database.client.end();
});

it('says that ClickHouse, Postgres or Temporal does not answer, and checks the rest', async () => {
  const nowhere = await freePort();
  const withoutClickHouse = await examine({ CLICKHOUSE_URL: `http://127.0.0.1:${nowhere}` });
  expect(withoutClickHouse.status).toBe('error');
  expect(errors(withoutClickHouse)).toMatchObject([
    { area: 'ClickHouse', text: expect.stringContaining('ClickHouse is not available') },
  ]);
  const withoutPostgres = await examine({
    DATABASE_URL: `postgres://someone:secret@127.0.0.1:${nowhere}/none`,
  });
  expect(withoutPostgres.status).toBe('error');
  expect(errors(withoutPostgres)).toMatchObject([
    { area: 'Postgres', text: expect.stringContaining('ECONNREFUSED') },
  ]);
  expect(JSON.stringify(withoutPostgres)).not.toContain('secret@');
  const withoutNamespace = await examine({ TEMPORAL_NAMESPACE: 'nowhere' });
  expect(errors(withoutNamespace)).toContainEqual(
    expect.objectContaining({ area: 'Temporal', text: expect.stringContaining('nowhere does not exist') }),
  );
  const withoutTemporal = await examine({ TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}` });
  expect(withoutTemporal.status).toBe('error');
  expect(errors(withoutTemporal)).toMatchObject([
    { area: 'Temporal', text: expect.stringContaining('does not answer') },
  ]);
});

it('says what to do when Postgres has no free connection', async () => {
  const role = `full_${randomUUID().replaceAll('-', '')}`;
  await stack.sql(`create role ${role} login password 'secret' connection limit 0`);
  const url = Object.assign(new URL(stack.environment.DATABASE_URL ?? ''), {
    username: role,
    password: 'secret',
  });
  const found = await examine({ DATABASE_URL: url.href });
  await stack.sql(`drop role ${role}`);
  expect(errors(found)).toMatchObject([
    {
      area: 'Postgres',
      text: expect.stringContaining('has no free connection'),
      remedy: expect.stringContaining('max_connections'),
    },
  ]);
});

it('examines a ClickHouse server', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-doctor-'));
  const front = await startOwnClickHouse(directory);
  const settings = { CLICKHOUSE_URL: front.url, CLICKHOUSE_PASSWORD: '', CLICKHOUSE_DATABASE: 'posthaste' };
  expect(errors(await examine(settings))).toMatchObject([{ area: 'ClickHouse' }]);
  const clickhouse = connectClickHouse({
    url: front.url,
    username: 'default',
    password: '',
    database: 'posthaste',
  });
  await migrateClickHouse(clickhouse);
  await clickhouse.close();
  const report = await examine(settings);
  expect(errors(report)).toEqual([]);
  const said = report.findings.filter(({ area }) => area === 'ClickHouse').map(({ text }) => text);
  expect(said).toEqual([
    expect.stringMatching(/^\d+\.\d+\S* answers$/),
    'its clock agrees with ours',
    'all migrations are applied',
    expect.stringContaining('largest tables: schema_migration'),
    expect.stringMatching(/^its disk "default": .+ free$/),
  ]);
  await front.kill();
  await rm(directory, { recursive: true, force: true });
});

it('names a database that is newer than the code, and pending migrations', async () => {
  await stack.sql(`insert into schema_migrations (name) values ('2099-01-01-future')`);
  const newer = await examine();
  expect(errors(newer)).toMatchObject([
    { area: 'Migrations', text: 'the database is newer than this version: it has 2099-01-01-future' },
  ]);
  const [last] = await stack.sql<{ name: string }>(
    `delete from schema_migrations where name = (select max(name) from schema_migrations where name < '2099') returning name`,
  );
  await stack.sql(`delete from schema_migrations where name = '2099-01-01-future'`);
  expect(errors(await examine())).toMatchObject([
    { area: 'Migrations', text: `1 are pending: ${last?.name}` },
  ]);
  await stack.sql('insert into schema_migrations (name) values ($1)', [last?.name]);
});

it('says that APP_SECRET is not that of the database', async () => {
  expect(errors(await examine({ APP_SECRET: 'another-secret-of-another-installation' }))).toEqual([
    {
      area: 'API keys',
      level: 'error',
      text: expect.stringMatching(/^APP_SECRET can't read the keys of (\d+) of \1 projects/),
      remedy: expect.stringContaining('Set APP_SECRET to the one'),
    },
  ]);
});

it('names a missing index and one whose build was interrupted', async () => {
  await stack.sql('drop index contacts_address_part');
  await stack.sql('create index half_built on contacts (created_at)');
  await stack.sql(`update pg_index set indisvalid = false where indexrelid = 'half_built'::regclass`);
  const { findings } = await examine();
  await stack.sql('drop index half_built');
  expect(findings.filter(({ area }) => area === 'Indexes')).toMatchObject([
    { level: 'warning', text: 'half_built of contacts is invalid: its build was interrupted' },
    { level: 'warning', text: expect.stringContaining('contacts_address_part is missing') },
  ]);
});

it('says why it cannot set up its connection to Temporal', async () => {
  const report = await examine({ TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/client.pem' });
  expect(errors(report)).toMatchObject([
    { area: 'Temporal', text: expect.stringContaining('/nowhere/client.pem') },
  ]);
  // By name: Node warns of a server name that is an IP address, which the client of gRPC passes on.
  const byName = (stack.environment.TEMPORAL_ADDRESS ?? '').replace('127.0.0.1', 'localhost');
  expect(errors(await examine({ TEMPORAL_TLS: 'true', TEMPORAL_ADDRESS: byName }))).toMatchObject([
    { area: 'Temporal', text: expect.stringContaining('SSL routines') },
  ]);
});

it('says that there is nothing to examine on this machine', async () => {
  const { stderr, exitCode } = await execa(process.execPath, ['local/doctor.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: path.join(tmpdir(), 'posthaste-never-started') },
    extendEnv: false,
    reject: false,
  });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Nothing was started in .*posthaste-never-started\. Run `npm start` first/);
});

it('says which variable of the configuration is wrong', async () => {
  const { stdout, exitCode } = await doctor({ APP_SECRET: 'short' });
  expect(exitCode).toBe(1);
  expect(stdout).toContain('✗ Configuration  The configuration is not valid: APP_SECRET:');
});
