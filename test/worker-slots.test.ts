import { expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { startHttpServer } from '../providers/testing/http-server.ts';
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
const mostOpen = { silent: 0, hanging: 0 };
const silent = fileFixture(
  () =>
    startHttpServer(() => {
      mostOpen.silent = Math.max(mostOpen.silent, silent.openConnections);
    }),
  ({ close }) => close(),
);
/** Answers its first call. */
const hanging = fileFixture(
  () =>
    startHttpServer((_request, response) => {
      if (hanging.requests.length <= 1) response.end();
      mostOpen.hanging = Math.max(mostOpen.hanging, hanging.openConnections);
    }),
  ({ close }) => close(),
);
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
  for (let n = 0; n < many; n += 1) {
    const { body } = await busy.post('/campaigns', {
      name: `News ${n}`,
      subject: 'News',
      body: '<p>News</p>',
      from: `news@${busy.domain}`,
      audienceType: 'ALL',
    });
    campaigns.push(body.data.id);
  }
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

it('a burst of webhooks to a receiver that does not answer leaves slots to others', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const id = await buildHook(busy, silent.url);
  await Promise.all(
    Array.from({ length: many }, (_, n) => trackEvent(busy, 'signup', {}, `reader-${n}@example.com`)),
  );
  await eventually(
    () =>
      stack.sql(
        `select 1 from workflow_step_runs r join workflow_executions x on x.id = r.execution_id where x.workflow_id = $1`,
        [id],
      ),
    (begun) => begun.length === many,
  );
  await runExecution(quiet);
  await eventually(
    async () => silent.requests.length,
    (asked) => asked >= 8,
  );
  // At a time; calls that were given up may still be closing.
  expect(mostOpen.silent).toBeLessThanOrEqual(16);
});

it('a burst of webhooks to a receiver that has answered quickly and hangs leaves slots to others', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const id = await buildHook(busy, hanging.url);
  await trackEvent(busy, 'signup', {}, 'first@example.com');
  await onlyExecution(busy, id, 'EXITED');
  await Promise.all(
    Array.from({ length: many }, (_, n) => trackEvent(busy, 'signup', {}, `reader-${n}@example.com`)),
  );
  await eventually(
    async () => hanging.requests.length,
    (asked) => asked > 24,
  );
  await runExecution(quiet);
  // At a time; eight more may begin while the first ones, given up, are still closing.
  expect(mostOpen.hanging).toBeLessThanOrEqual(32);
});
