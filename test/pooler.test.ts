import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPooler, checkPostgres } from '../doctor/postgres.ts';
import { connectReadOnly } from '../doctor/read-only.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { emailStatuses, journaledSends } from './setup/email-statuses.ts';
import { eventually } from './setup/eventually.ts';
import { type Pooler, startPgBouncer } from './setup/pgbouncer.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { buildWait, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { upload } from './setup/upload.ts';

/** Fewer than one process opens, so that transactions of both processes share each database session. */
const serverConnections = 5;

const stack = useProcessStack();
let pooler: Pooler;
let sender: TestSender;

beforeAll(async () => {
  pooler = await startPgBouncer(stack.database.url, serverConnections, Number(stack.environment.PORT));
  stack.environment.DATABASE_POOLER_URL = pooler.url;
  await stack.start();
  sender = await createTestSender(stack.url);
}, 300_000);
afterAll(async () => {
  await stack?.killAll();
  await pooler?.close();
});

const statuses = (source: string) =>
  emailStatuses(stack, 'project_id = $1 and source = $2', sender.projectId, source);
const journaled = () => journaledSends(stack, sender.projectId);

describe('behind a pooler in transaction mode', () => {
  it('emails of many parallel requests leave once each', async () => {
    const sends = Array.from({ length: 40 }, (_, n) =>
      sender.post('/v1/send', {
        to: `reader-${n}@example.com`,
        from: `hello@${sender.domain}`,
        subject: 'Hello',
        body: '<p>Hello</p>',
      }),
    );
    for (const answer of await Promise.all(sends)) expect(answer.status).toBe(200);
    await eventually(
      () => statuses('TRANSACTIONAL'),
      (found) => found.DELIVERED === 40,
    );
    expect(await journaled()).toEqual({ rows: 40, emails: 40 });
  });

  it('an import and a campaign reach every contact once', async () => {
    const lines = Array.from({ length: 600 }, (_, n) => `import-${n}@example.com,${n}`);
    const file = ['email,n', ...lines].join('\n');
    const { status, body } = await upload(`${stack.url}/contacts/import`, sender.secretKey, file);
    expect(status, JSON.stringify(body)).toBe(202);
    await eventually(
      () => sender.get(`/contacts/import/${body.jobId}`),
      (answer) => answer.body.state === 'completed',
    );
    const campaignId = await draftCampaign(sender);
    expect((await sender.post(`/campaigns/${campaignId}/send`, {})).status).toBe(200);
    await eventually(async () => (await sender.get(`/campaigns/${campaignId}`)).body.data.status, 'SENT');
    await eventually(
      () => statuses('CAMPAIGN'),
      (found) => (found.DELIVERED ?? 0) >= 600 && Object.keys(found).length === 1,
    );
    const sent = await journaled();
    expect(sent?.rows).toBe(sent?.emails);
  });

  it('an event starts a workflow, and another one ends its wait', async () => {
    const id = await buildWait(sender);
    await trackEvent(sender, 'signup');
    await onlyExecution(sender, id, 'WAITING');
    await trackEvent(sender, 'bought');
    await onlyExecution(sender, id, 'EXITED');
  });

  it('each process has a session for notifications', async () => {
    const listening = () =>
      stack.sql(
        `select from pg_stat_activity
         where datname = current_database() and application_name = 'posthaste-listen'`,
      );
    // A session that was lost in the meantime comes back.
    expect(await eventually(listening, (sessions) => sessions.length === 2)).toHaveLength(2);
  });

  it('no database session keeps a setting of ours', async () => {
    const client = await connectReadOnly(pooler.url);
    const settings = await client.client.query(
      `select name from pg_settings where source = 'session'
       and name not in ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
       order by name`,
    );
    await client.client.end();
    expect(settings.rows).toEqual(
      ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'].map((name) => ({ name })),
    );
  });

  it('the doctor detects the pooler, and warns if DATABASE_URL goes through it', async () => {
    const [direct, pooled] = await Promise.all([
      connectReadOnly(stack.database.url),
      connectReadOnly(pooler.url),
    ]);
    const levels = (found: { level: string }[]) => found.map(({ level }) => level);
    expect(levels(await checkPooler(pooled, direct))).toEqual(['ok']);
    const said = (await checkPostgres(pooled)).map(({ text }) => text);
    expect(said).toContain('DATABASE_URL leads through a pooler');
    expect((await checkPostgres(direct)).map(({ text }) => text)).not.toContain(
      'DATABASE_URL leads through a pooler',
    );
    await Promise.all([direct.client.end(), pooled.client.end()]);
  });
});
