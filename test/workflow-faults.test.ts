import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../db/sql.ts';
import { eventually } from './setup/eventually.ts';
import { freePort } from './setup/free-port.ts';
import { startWorkerProcess, type TestProcess } from './setup/processes.ts';
import { startTestProduct, type TestProduct } from './setup/product.ts';
import { createTestSender } from './setup/sender.ts';
import { addStep, createWorkflow } from './setup/workflows.ts';

let stack: TestProduct;
let worker: TestProcess | undefined;
beforeAll(async () => {
  stack = await startTestProduct();
});
afterAll(async () => {
  await worker?.kill();
  await stack.close();
});

const contacts = 50;

it('sends each email at most once and ends each execution, however often a worker is killed', {
  timeout: 240_000,
}, async () => {
  const sender = await createTestSender(stack.url);
  const template = await sender.post('/templates', {
    name: 'Hello',
    subject: 'Hello',
    body: '<p>Hello</p>',
    from: `hello@${sender.domain}`,
    type: 'TRANSACTIONAL',
  });
  const templateId = (template.body.data ?? template.body).id;
  const workflow = await createWorkflow(sender, { eventName: 'signup' });
  let last = workflow.steps[0].id;
  for (const step of [
    { type: 'SEND_EMAIL', config: { templateId } },
    { type: 'DELAY', config: { amount: 0.02, unit: 'minutes' } },
    { type: 'UPDATE_CONTACT', config: { data: { welcomed: true } } },
    { type: 'SEND_EMAIL', config: { templateId } },
    { type: 'EXIT', config: { reason: 'done' } },
  ]) {
    const added = await addStep(sender, workflow.id, { ...step, autoConnect: last });
    last = added.id ?? added.step.id;
  }
  expect((await sender.patch(`/workflows/${workflow.id}`, { enabled: true })).status).toBe(200);

  // Two workers share the work; the one that is killed holds some of it at any moment.
  const start = async () =>
    startWorkerProcess({ ...stack.environment, METRICS_PORT: String(await freePort()) });
  worker = await start();
  const tracked = Array.from({ length: contacts }, (_, n) =>
    sender.post('/v1/track', { event: 'signup', email: `c${n}@example.com` }),
  );
  expect((await Promise.all(tracked)).every(({ status }) => status === 200)).toBe(true);
  for (let kills = 0; kills < 3; kills += 1) {
    await delay(300 + 400 * kills);
    await worker.kill();
    worker = await start();
  }

  const em = stack.database.orm.em.fork();
  const statuses = () =>
    sql<{ status: string; count: number }>(
      em,
      'select status, count(*)::int as count from workflow_executions where workflow_id = $1 group by status',
      [workflow.id],
    );
  await eventually(
    statuses,
    (rows) => rows.length === 1 && rows[0]?.status === 'EXITED' && rows[0].count === contacts,
    150_000,
  );
  const runs = await sql<{ visits: number; count: number }>(
    em,
    `select visits::int, count(*)::int as count from (
       select count(*) as visits from workflow_step_runs r
       join workflow_executions x on x.id = r.execution_id
       where x.workflow_id = $1 group by x.id) t
     group by visits`,
    [workflow.id],
  );
  expect(runs).toEqual([{ visits: 5, count: contacts }]);
  const emails = await sql<{ count: number }>(
    em,
    'select count(*)::int as count from emails where workflow_id = $1',
    [workflow.id],
  );
  expect(emails).toEqual([{ count: 2 * contacts }]);
  const found = await fetch(`${stack.ses.url}/api/messages?limit=1000`);
  // as: the inbox is ours, and the tests of its answers are its own.
  const { messages } = (await found.json()) as { messages: { emailId: string }[] };
  expect(new Set(messages.map(({ emailId }) => emailId)).size).toBe(messages.length);
  expect(messages.length).toBeLessThanOrEqual(2 * contacts);
});
