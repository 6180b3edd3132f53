import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endOrphanedExecutions, remindExecutions } from '../activities/workflows/repair-executions.ts';
import { sql } from '../db/sql.ts';
import { createWebhookSecrets } from '../runtime/webhook-secrets.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { createExecutionWorkflows } from '../temporal/client/execution-commands.ts';
import { eventually } from './setup/eventually.ts';
import { startTestProduct, type TestProduct } from './setup/product.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { addStep, connect, createWorkflow, readWorkflow } from './setup/workflows.ts';

let stack: TestProduct;
let sender: TestSender;
let receiver: Server;
let receiverUrl: string;
let client: Client;
let calls: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
let answers: { status: number; body: string }[] = [];

beforeAll(async () => {
  stack = await startTestProduct({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
  client = createTemporalClient({ environment: stack.environment, dataConverter: undefined });
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const answer = answers.shift() ?? { status: 200, body: '{"score":7}' };
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  receiverUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(async () => {
  receiver.close();
  await client.connection.close();
  await stack.close();
});
beforeEach(async () => {
  sender = await createTestSender(stack.url);
  calls = [];
  answers = [];
});

async function createTemplate(subject: string, type = 'TRANSACTIONAL'): Promise<string> {
  const created = await sender.post('/templates', {
    name: subject,
    subject,
    body: '<p>{{ plan }} {{ event.plan }} {{ context.score }}</p>',
    from: `hello@${sender.domain}`,
    type,
  });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return (created.body.data ?? created.body).id;
}

type Way = [from: string, to: string, branch?: string];

/** Builds a workflow of steps by their names, the trigger being `start`, and switches it on. */
async function build(
  steps: Record<string, { type: string; config?: object }>,
  ways: Way[],
  fields: object = {},
): Promise<string> {
  const workflow = await createWorkflow(sender, { eventName: 'signup', ...fields });
  const ids: Record<string, string> = { start: workflow.steps[0].id };
  for (const [name, step] of Object.entries(steps)) {
    const added = await addStep(sender, workflow.id, { name, ...step });
    ids[name] = added.id ?? added.step?.id;
  }
  for (const [from, to, branch] of ways) {
    const made = await connect(sender, workflow.id, ids[from] ?? '', ids[to] ?? '', branch);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  const enabled = await sender.patch(`/workflows/${workflow.id}`, { enabled: true });
  expect(enabled.status, JSON.stringify(enabled.body)).toBe(200);
  return workflow.id;
}

async function track(event: string, data: object = {}, email = 'ada@example.com'): Promise<void> {
  const tracked = await sender.post('/v1/track', { event, email, data });
  expect(tracked.status, JSON.stringify(tracked.body)).toBe(200);
}

async function executionsOf(id: string) {
  const listed = await sender.get(`/workflows/${id}/executions`);
  expect(listed.status).toBe(200);
  return listed.body.data;
}

/** The only execution of a workflow, once it has the status; with its steps. */
async function execution(id: string, status: string) {
  const found = await eventually(
    () => executionsOf(id),
    (list) => list.length === 1 && list[0].status === status,
    30_000,
  );
  return (await sender.get(`/workflows/${id}/executions/${found[0].id}`)).body;
}

async function inbox(to: string) {
  const found = await fetch(`${stack.ses.url}/api/messages?limit=1000`);
  // as: the inbox is ours, and the tests of its answers are its own.
  const { messages } = (await found.json()) as {
    messages: { to: string[]; subject: string; text: string }[];
  };
  return messages.filter((message) => message.to.some((address) => address.includes(to)));
}
const arrival = async (to: string, subject: string) => {
  const messages = await eventually(
    () => inbox(to),
    (list) => list.some((one) => one.subject === subject),
    30_000,
  );
  return messages.find((message) => message.subject === subject);
};

describe('an email', () => {
  it('arrives after the event, with the data of contact and event, and the execution exits', async () => {
    const templateId = await createTemplate('Hello {{ event.plan }}');
    const id = await build(
      {
        mail: { type: 'SEND_EMAIL', config: { templateId } },
        bye: { type: 'EXIT', config: { reason: 'done' } },
      },
      [
        ['start', 'mail'],
        ['mail', 'bye'],
      ],
    );
    await track('signup', { plan: 'pro' }, 'mail-1@example.com');
    expect((await arrival('mail-1@example.com', 'Hello pro'))?.text).toContain('pro pro');
    const done = await execution(id, 'EXITED');
    expect(done).toMatchObject({
      exitReason: 'done',
      event: { plan: 'pro' },
      completedAt: expect.any(String),
    });
    expect(done.steps).toMatchObject([
      { name: 'mail', output: { emailId: expect.any(String) }, completedAt: expect.any(String) },
      { name: 'bye' },
    ]);
    expect(await inbox('mail-1@example.com')).toHaveLength(1);
  });

  it('goes to a custom address, and a marketing one not to who has opted out', async () => {
    const news = await createTemplate('News', 'MARKETING');
    const note = await createTemplate('Note');
    const id = await build(
      {
        news: { type: 'SEND_EMAIL', config: { templateId: news } },
        note: {
          type: 'SEND_EMAIL',
          config: { templateId: note, recipient: { type: 'CUSTOM', email: 'sales@example.org' } },
        },
      },
      [
        ['start', 'news'],
        ['news', 'note'],
      ],
    );
    await sender.post('/contacts', { email: 'optout@example.com', subscribed: false });
    await track('signup', {}, 'optout@example.com');
    await execution(id, 'COMPLETED');
    await arrival('sales@example.org', 'Note');
    expect(await inbox('optout@example.com')).toEqual([]);
  });
});

describe('branches', () => {
  it.each([
    ['yes', 'pro'],
    ['no', 'free'],
  ])('%s: by contact, event and context', async (branch, plan) => {
    const id = await build(
      {
        rich: {
          type: 'CONDITION',
          config: {
            logic: 'AND',
            groups: [
              {
                filters: [
                  { field: 'data.plan', operator: 'equals', value: 'pro' },
                  { field: 'event.plan', operator: 'equals', value: 'pro' },
                  { field: 'event.signup', operator: 'triggered' },
                ],
              },
            ],
          },
        },
        yes: { type: 'UPDATE_CONTACT', config: { data: { seen: 'yes', plan: null } } },
        no: { type: 'UPDATE_CONTACT', config: { data: { seen: 'no' }, subscribed: false } },
      },
      [
        ['start', 'rich'],
        ['rich', 'yes', 'yes'],
        ['rich', 'no', 'no'],
      ],
    );
    const email = `${branch}-branch@example.com`;
    await track('signup', { plan }, email);
    const done = await execution(id, 'COMPLETED');
    expect(done.steps).toMatchObject([{ name: 'rich', branch }, { name: branch }]);
    const contact = (await sender.get(`/contacts/${done.contactId}`)).body;
    const shown = contact.data?.email === undefined ? contact : contact.data;
    expect(shown.data).toEqual(branch === 'yes' ? { seen: 'yes' } : { seen: 'no', plan: 'free' });
    expect(shown.subscribed).toBe(branch === 'yes');
  });
});

describe('a wait for an event', () => {
  const waiting = (timeout?: number) =>
    build(
      {
        wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', ...(timeout && { timeout }) } },
        paid: { type: 'EXIT', config: { reason: 'paid' } },
        late: { type: 'EXIT', config: { reason: 'late' } },
      },
      [
        ['start', 'wait'],
        ['wait', 'paid', 'event'],
        ['wait', 'late', 'timeout'],
      ],
    );

  it('ends with the event, whose data join the context', async () => {
    const id = await waiting(3_600);
    await track('signup', {}, 'waits@example.com');
    expect(await execution(id, 'WAITING')).toMatchObject({ resumeAt: expect.any(String) });
    await track('paid', { amount: 5 }, 'another@example.com');
    await track('paid', { amount: 12 }, 'waits@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({
      exitReason: 'paid',
      context: { amount: 12 },
      steps: [{ name: 'wait', branch: 'event' }, { name: 'paid' }],
    });
  });

  it('ends with its time', async () => {
    const id = await waiting(1);
    await track('signup', {}, 'late@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({ exitReason: 'late' });
  });

  it('sees the event that comes while the step is being entered', async () => {
    const id = await waiting(3_600);
    await track('signup', {}, 'quick@example.com');
    await track('paid', { amount: 1 }, 'quick@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({ exitReason: 'paid', context: { amount: 1 } });
  });
});

describe('a delay', () => {
  it('ends after its time, and a cancel ends it before', async () => {
    const short = await build({ nap: { type: 'DELAY', config: { amount: 0.01, unit: 'minutes' } } }, [
      ['start', 'nap'],
    ]);
    const long = await build({ nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
      ['start', 'nap'],
    ]);
    await track('signup', {}, 'naps@example.com');
    await execution(short, 'COMPLETED');
    const { id, resumeAt, contactId } = await execution(long, 'WAITING');
    const upcoming = await sender.get('/activity/upcoming');
    expect(upcoming.body.data).toMatchObject([
      {
        id,
        type: 'workflow.waiting',
        timestamp: resumeAt,
        contactId,
        contactEmail: 'naps@example.com',
        metadata: { executionId: id, workflowId: long, workflowName: 'Welcome' },
      },
    ]);
    expect((await sender.delete(`/workflows/${long}/executions/${id}`)).status).toBe(204);
    await execution(long, 'CANCELLED');
    expect((await readWorkflow(sender, long)).enabled).toBe(true);
  });
});

describe('a webhook', () => {
  const hook = (config: object = {}) =>
    build(
      {
        hook: {
          type: 'WEBHOOK',
          config: {
            url: `${receiverUrl}/hook?plan={{ event.plan }}`,
            headers: { 'X-Plan': '{{ plan }}' },
            body: { text: 'Hi {{ email }}', n: 1 },
            ...config,
          },
        },
        high: {
          type: 'CONDITION',
          config: { field: 'context.hook.body.score', operator: 'greaterThan', value: 5 },
        },
        end: { type: 'EXIT', config: { reason: 'high' } },
        low: { type: 'EXIT', config: { reason: 'low' } },
      },
      [
        ['start', 'hook'],
        ['hook', 'high'],
        ['high', 'end', 'yes'],
        ['high', 'low', 'no'],
      ],
    );

  it('is rendered, signed with both secrets of a rotation and tried again, and its answer joins the context', async () => {
    answers = [{ status: 503, body: '' }];
    const id = await hook();
    const secrets = createWebhookSecrets(stack.environment.APP_SECRET ?? '');
    const em = stack.database.orm.em.fork();
    await secrets.read(em, sender.projectId);
    await secrets.rotate(em, sender.projectId);
    await track('signup', { plan: 'pro' }, 'hook@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({
      exitReason: 'high',
      context: { hook: { statusCode: 200, body: { score: 7 } } },
    });
    expect(calls).toHaveLength(2);
    expect(calls[1]).toMatchObject({
      method: 'POST',
      url: '/hook?plan=pro',
      body: '{"n":1,"text":"Hi hook@example.com"}',
      headers: { 'x-plan': 'pro', 'content-type': 'application/json' },
    });
    const { current, previous } = await secrets.read(em, sender.projectId);
    const headers = calls[1]?.headers ?? {};
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${calls[1]?.body}`;
    const signatures = [current, previous?.secret ?? ''].map((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    });
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
    expect(calls[0]?.headers['webhook-id']).toBe(headers['webhook-id']);
  });

  it('goes on with an answer that is no success', async () => {
    answers = [{ status: 404, body: 'no such hook' }];
    const id = await hook();
    await track('signup', { plan: 'pro' }, 'gone@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({
      exitReason: 'low',
      context: { hook: { statusCode: 404, body: 'no such hook' } },
    });
    expect(calls).toHaveLength(1);
  });

  it('fails the execution when the URL leads into this network', async () => {
    const id = await hook({ url: `http://localhost:${new URL(receiverUrl).port}/` });
    await track('signup', {}, 'inside@example.com');
    expect(await execution(id, 'FAILED')).toMatchObject({ error: expect.stringContaining('public address') });
    expect(calls).toEqual([]);
  });
});

describe('repair', () => {
  /** What was started a moment ago is old enough by then. */
  const inAWhile = () => new Date(Date.now() + 60 * 60 * 1000);
  const workflowIdOf = ({
    id,
    workflowId,
    contactId,
  }: {
    id: string;
    workflowId: string;
    contactId: string;
  }) => `workflow/${workflowId}/contact/${contactId}/${id}`;
  const handleOf = (shown: Parameters<typeof workflowIdOf>[0]) =>
    client.workflow.getHandle(workflowIdOf(shown));

  it('begins the workflow anew that Temporal has lost, where the execution stands', async () => {
    const id = await build(
      { nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } }, bye: { type: 'EXIT' } },
      [
        ['start', 'nap'],
        ['nap', 'bye'],
      ],
    );
    await track('signup', {}, 'lost@example.com');
    const shown = await execution(id, 'WAITING');
    await handleOf(shown).terminate('lost');
    const em = stack.database.orm.em.fork();
    await sql(em, `update workflow_executions set resume_at = now() - interval '11 minutes' where id = $1`, [
      shown.id,
    ]);
    expect(await remindExecutions(em)).toEqual({ reminded: 1 });
    expect((await execution(id, 'EXITED')).steps).toMatchObject([{ name: 'nap' }, { name: 'bye' }]);
    expect(await remindExecutions(em)).toEqual({ reminded: 0 });
  });

  it('ends the workflow whose execution has ended without its knowledge', async () => {
    const id = await build({ nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
      ['start', 'nap'],
    ]);
    await track('signup', {}, 'orphan@example.com');
    const shown = await execution(id, 'WAITING');
    const em = stack.database.orm.em.fork();
    await sql(em, `delete from workflow_executions where id = $1`, [shown.id]);
    const workflows = createExecutionWorkflows(client);
    const found = await eventually(
      () => endOrphanedExecutions(em, workflows, { resumeBefore: 0, now: inAWhile(), budgetMs: 60_000 }),
      ({ orphaned }) => orphaned > 0,
    );
    expect(found).toMatchObject({ running: expect.any(Number), resumeBefore: 0 });
    await eventually(
      () => handleOf(shown).describe(),
      ({ status }) => status.name === 'COMPLETED',
    );
  });

  it('goes on with older ones where the run before had no more time', async () => {
    const id = await build({ nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
      ['start', 'nap'],
    ]);
    const addresses = ['a', 'b', 'c'].map((name) => `${name}@old.example.com`);
    for (const address of addresses) await track('signup', {}, address);
    const isThere = ({ body }: { body: { total: number } }) => body.total === 3;
    const { body } = await eventually(
      () => sender.get(`/workflows/${id}/executions?status=WAITING`),
      isThere,
    );
    const em = stack.database.orm.em.fork();
    await sql(em, `update workflow_executions set status = 'CANCELLED' where workflow_id = $1`, [id]);
    const workflows = createExecutionWorkflows(client, 1);
    let [resumeBefore, runs] = [0, 0];
    do {
      const input = { resumeBefore, now: inAWhile(), budgetMs: 0 };
      const found = await endOrphanedExecutions(em, workflows, input);
      expect(found.running).toBeLessThanOrEqual(1);
      resumeBefore = found.resumeBefore;
      runs += 1;
    } while (resumeBefore > 0);
    expect(runs).toBeGreaterThan(3);
    for (const shown of body.data) {
      await eventually(
        () => handleOf(shown).describe(),
        ({ status }) => status.name === 'COMPLETED',
      );
    }
  });

  it('lets a contact that is erased end its executions', async () => {
    const id = await build(
      { nap: { type: 'WAIT_FOR_EVENT', config: { eventName: 'never' } }, bye: { type: 'EXIT' } },
      [
        ['start', 'nap'],
        ['nap', 'bye'],
      ],
    );
    await track('signup', {}, 'erased@example.com');
    const shown = await execution(id, 'WAITING');
    expect((await sender.delete(`/contacts/${shown.contactId}`)).status).toBe(204);
    expect(await execution(id, 'CANCELLED')).toMatchObject({ contactId: null, context: {} });
    await eventually(
      () => handleOf(shown).describe(),
      ({ status }) => status.name === 'COMPLETED',
    );
  });
});
