import { expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { startHttpServer } from '../providers/testing/http-server.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { useTestProduct } from './setup/product.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { upload } from './setup/upload.ts';

/** More than a worker has slots for activities, for local activities or for workflow tasks. */
const many = 45;

const receiver = fileFixture(
  () => startHttpServer((_request, response) => void response.end()),
  ({ close }) => close(),
);
let mostOpen = 0;
const silent = fileFixture(
  () =>
    startHttpServer((_request, response) => {
      mostOpen = Math.max(mostOpen, silent.openConnections);
      if (silent.requests.length <= answeredAtFirst) response.end();
    }),
  ({ close }) => close(),
);
let answeredAtFirst = 0;
const stack = useTestProduct(() => ({
  API_RATE_LIMIT_PER_MINUTE: '0',
  OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
}));

const buildHook = (sender: TestSender, url: string) =>
  buildWorkflow(sender, { hook: { type: 'WEBHOOK', config: { url } }, end: { type: 'EXIT', config: {} } }, [
    ['start', 'hook'],
    ['hook', 'end'],
  ]);

/** Runs an execution with a webhook, to its end. */
async function runExecution(sender: TestSender): Promise<void> {
  const id = await buildHook(sender, receiver.url);
  await trackEvent(sender, 'signup', {}, 'bob@example.com');
  await onlyExecution(sender, id, 'EXITED');
}

it('an execution goes on while another project imports more files than a worker has slots', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const { body: contact } = await busy.post('/contacts', { email: 'reader@example.com' });
  const jobIds: string[] = [];
  await stack.em().transactional(async (em) => {
    await sql(em, 'select from contacts where id = $1 for update', [contact.id]);
    for (let n = 0; n < many; n += 1) {
      const file = `email,n\nreader@example.com,${n}`;
      const { status, body } = await upload(`${stack.url}/contacts/import`, busy.secretKey, file);
      expect(status).toBe(202);
      jobIds.push(body.jobId);
    }
    await eventually(
      () => stack.sql(`select 1 from outbox where project_id = $1`, [busy.projectId]),
      (commands) => commands.length === 0,
    );
    await untilBlocking(em);
    await runExecution(quiet);
  });
  await eventually(
    () => stack.sql(`select 1 from jobs where id = any($1::uuid[]) and state = 'completed'`, [jobIds]),
    (completed) => completed.length === many,
  );
});

it('an execution goes on while more campaigns of another project freeze than a worker has slots', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  await busy.post('/contacts', { email: 'reader@example.com' });
  const campaigns: string[] = [];
  for (let n = 0; n < many; n += 1) campaigns.push(await draftCampaign(busy, { name: `News ${n}` }));
  await stack.em().transactional(async (em) => {
    await sql(em, 'lock table campaign_batches in share mode');
    for (const id of campaigns) expect((await busy.post(`/campaigns/${id}/send`, {})).status).toBe(200);
    await eventually(
      () => stack.sql(`select 1 from outbox where project_id = $1`, [busy.projectId]),
      (commands) => commands.length === 0,
    );
    await untilBlocking(em);
    await runExecution(quiet);
  });
  await eventually(
    () => stack.sql(`select 1 from campaigns where project_id = $1 and status = 'SENT'`, [busy.projectId]),
    (sent) => sent.length === many,
  );
});

async function beginBurst(busy: TestSender, workflowId: string): Promise<void> {
  await Promise.all(
    Array.from({ length: many }, (_, n) => trackEvent(busy, 'signup', {}, `reader-${n}@example.com`)),
  );
  await eventually(
    () =>
      stack.sql(
        `select 1 from workflow_step_runs r join workflow_executions x on x.id = r.execution_id where x.workflow_id = $1`,
        [workflowId],
      ),
    (begun) => begun.length >= many,
  );
}

/** At most twice as many connections are open as calls are under way: those of calls given up may still be closing. */
async function expectAtMost(calls: number): Promise<void> {
  await eventually(
    async () => silent.requests.length - answeredAtFirst,
    (asked) => asked >= calls,
  );
  expect(mostOpen).toBeLessThanOrEqual(2 * calls);
}

it('a burst of webhooks to a receiver that does not answer leaves slots to others', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  await beginBurst(busy, await buildHook(busy, silent.url));
  await runExecution(quiet);
  await expectAtMost(8);
});

it('a burst of webhooks to a receiver that hangs after quick answers leaves slots to others', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const id = await buildHook(busy, silent.url);
  [mostOpen, answeredAtFirst] = [0, silent.requests.length + 1];
  await trackEvent(busy, 'signup', {}, 'first@example.com');
  await onlyExecution(busy, id, 'EXITED');
  await beginBurst(busy, id);
  await runExecution(quiet);
  await expectAtMost(12);
});
