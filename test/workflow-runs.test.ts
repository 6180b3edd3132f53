import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Project } from '../db/entities/project.ts';
import { startHttpServer } from '../providers/testing/http-server.ts';
import { createWebhookSecrets } from '../runtime/webhook-secrets.ts';
import { eventually } from './setup/eventually.ts';
import { testFixture } from './setup/fixtures.ts';
import { eventTypesOf } from './setup/history-text.ts';
import { readInbox } from './setup/inbox.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { replaceDomain, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';
import { readWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
let answers: { status: number; body: string }[] = [];

const receiver = testFixture(
  () =>
    startHttpServer((_, response) => {
      const answer = answers.shift() ?? { status: 200, body: '{"score":7}' };
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
    }),
  ({ close }) => close(),
);
beforeEach(() => {
  answers = [];
});

const templateOf = (subject: string, type = 'TRANSACTIONAL') =>
  createTemplate(sender, {
    subject,
    body: '<p>{{ plan }} {{ event.plan }} {{ context.score }}</p>',
    type,
  });

type Graph = Parameters<typeof buildWorkflow>;
const build = (steps: Graph[1], ways: Graph[2], fields?: object) =>
  buildWorkflow(sender, steps, ways, fields);
const track = (event: string, data?: object, email?: string) => trackEvent(sender, event, data, email);
const execution = (id: string, status: string) => onlyExecution(sender, id, status);

const inbox = async (to: string) => (await readInbox(stack.ses, { to })).messages;
const arrival = async (to: string, subject: string) => {
  const messages = await eventually(
    () => inbox(to),
    (list) => list.some((one) => one.subject === subject),
  );
  return messages.find((message) => message.subject === subject);
};

const listUnsubscribe = { 'List-Unsubscribe': expect.any(String) };

describe('an email', () => {
  it('arrives after the event, with the data of the contact and the event, and the execution exits', async () => {
    const templateId = await templateOf('Hello {{ event.plan }}');
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

  it('goes to a custom address; a marketing email is not sent to contacts that opted out', async () => {
    const news = await templateOf('News', 'MARKETING');
    const note = await templateOf('Note about {{ email }}');
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
    await arrival('sales@example.org', 'Note about optout@example.com');
    expect(await inbox('optout@example.com')).toEqual([]);
  });

  it('to a custom address has no link to unsubscribe the contact, and does not depend on the subscription', async () => {
    const note = await templateOf('Lost {{ email }}', 'MARKETING');
    const recipient = { type: 'CUSTOM', email: 'team@example.org' };
    const config = { templateId: note, recipient };
    const id = await build({ note: { type: 'SEND_EMAIL', config } }, [['start', 'note']]);
    await sender.post('/contacts', { email: 'lost-1@example.com', subscribed: false });
    for (const email of ['lost-1@example.com', 'lost-2@example.com', 'team@example.org']) {
      await track('signup', { plan: 'pro' }, email);
    }
    const withoutLinks = { text: 'pro pro', headers: expect.not.objectContaining(listUnsubscribe) };
    expect(await arrival('team@example.org', 'Lost lost-1@example.com')).toMatchObject(withoutLinks);
    expect(await arrival('team@example.org', 'Lost lost-2@example.com')).toMatchObject(withoutLinks);
    const own = {
      text: expect.stringContaining('/unsubscribe/'),
      headers: expect.objectContaining(listUnsubscribe),
    };
    expect(await arrival('team@example.org', 'Lost team@example.org')).toMatchObject(own);
    await sender.patch(`/workflows/${id}`, { enabled: false });
  });
});

it('a workflow email does not leave from a domain that the project has lost', async () => {
  const mail = await templateOf('From another sender');
  const id = await build({ mail: { type: 'SEND_EMAIL', config: { templateId: mail } } }, [['start', 'mail']]);
  await replaceDomain(stack, sender, 'pending');
  try {
    await track('signup', {}, 'lost@example.com');
    const { steps } = await execution(id, 'COMPLETED');
    expect(steps).toMatchObject([{ name: 'mail', error: expect.stringContaining('is not verified') }]);
    const emails = await stack.sql('select from emails where to_email = $1', ['lost@example.com']);
    expect(emails).toHaveLength(0);
  } finally {
    await replaceDomain(stack, sender, 'verified');
  }
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

  it('ends with the event, whose data is added to the context', async () => {
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

  it('ends at its timeout', async () => {
    const id = await waiting(1);
    await track('signup', {}, 'late@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({ exitReason: 'late' });
  });

  it('notices an event that arrives while the step is being entered', async () => {
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
            url: `${receiver.url}/hook?plan={{ event.plan }}`,
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

  it('is rendered, signed with both secrets of a rotation and retried, and its answer is added to the context', async () => {
    answers = [{ status: 503, body: '' }];
    const id = await hook();
    const secrets = createWebhookSecrets(stack.environment.APP_SECRET ?? '');
    const em = stack.em();
    await secrets.read(em, sender.projectId);
    await secrets.rotate(em, await em.findOneOrFail(Project, sender.projectId));
    await track('signup', { plan: 'pro' }, 'hook@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({
      exitReason: 'high',
      context: { hook: { statusCode: 200, body: { score: 7 } } },
    });
    expect(receiver.requests).toHaveLength(2);
    expect(receiver.requests[1]).toMatchObject({
      method: 'POST',
      path: '/hook?plan=pro',
      body: '{"n":1,"text":"Hi hook@example.com"}',
      headers: { 'x-plan': 'pro', 'content-type': 'application/json' },
    });
    const { current, previous } = await secrets.read(em, sender.projectId);
    const headers = receiver.requests[1]?.headers ?? {};
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${receiver.requests[1]?.body}`;
    const signatures = [current, previous?.secret ?? ''].map((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    });
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
    expect(receiver.requests[0]?.headers['webhook-id']).toBe(headers['webhook-id']);
  });

  it('continues after an unsuccessful response', async () => {
    answers = [{ status: 404, body: 'no such hook' }];
    const id = await hook();
    await track('signup', { plan: 'pro' }, 'gone@example.com');
    expect(await execution(id, 'EXITED')).toMatchObject({
      exitReason: 'low',
      context: { hook: { statusCode: 404, body: 'no such hook' } },
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it('fails the execution if the URL leads into the internal network', async () => {
    const id = await hook({ url: `http://localhost:${new URL(receiver.url).port}/` });
    await track('signup', {}, 'inside@example.com');
    expect(await execution(id, 'FAILED')).toMatchObject({ error: expect.stringContaining('public address') });
    expect(receiver.requests).toEqual([]);
  });

  it('waits without an activity while enough others of its project are under way, and is made when one ends', async () => {
    const held: ServerResponse[] = [];
    const hanging = await startHttpServer((_, response) => void held.push(response));
    onTestFinished(hanging.close);
    const config = { url: hanging.url };
    const id = await build({ hook: { type: 'WEBHOOK', config } }, [['start', 'hook']]);
    const emails = Array.from({ length: 11 }, (_, n) => `reader-${n}@example.com`);
    for (const email of emails.slice(0, 8)) await track('signup', {}, email);
    await eventually(
      async () => held.length,
      (count) => count === 8,
    );
    for (const email of emails.slice(8)) await track('signup', {}, email);
    const { workflow } = stack.product.resources.temporal;
    const countWith = async (type: string) => {
      const found: string[][] = [];
      for await (const { workflowId } of workflow.list({ query: `WorkflowDefinitionId = '${id}'` })) {
        found.push(eventTypesOf(await workflow.getHandle(workflowId).fetchHistory()));
      }
      return found.filter((types) => types.includes(type)).length;
    };
    await eventually(
      () => countWith('TIMER_STARTED'),
      (count) => count === 3,
    );
    expect(await countWith('ACTIVITY_TASK_SCHEDULED')).toBe(8);
    await eventually(
      () => {
        for (const response of held.splice(0)) response.end('{}');
        return sender.get(`/workflows/${id}/executions?status=COMPLETED`);
      },
      ({ body }) => body.data.length === 11,
    );
    expect(await countWith('WORKFLOW_EXECUTION_SIGNALED')).toBe(3);
  });
});

describe('in Temporal an operator', () => {
  const workflows = () => stack.product.resources.temporal.workflow;
  async function found(query: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const one of workflows().list({ query })) ids.push(one.workflowId);
    return ids;
  }

  it('finds executions by project, workflow and contact, and reads their current step and their history', async () => {
    const id = await build(
      {
        hook: { type: 'WEBHOOK', config: { url: `${receiver.url}/hook` } },
        'three days': { type: 'DELAY', config: { amount: 3, unit: 'days' } },
      },
      [
        ['start', 'hook'],
        ['hook', 'three days'],
      ],
    );
    await track('signup', {}, 'ada@example.com');
    const waiting = await execution(id, 'WAITING');
    const workflowId = `workflow/${id}/contact/${waiting.contactId}/${waiting.id}`;
    const isRunning = `JobKind = 'workflow-execution' and ExecutionStatus = 'Running'`;
    for (const query of [
      `ProjectId = '${sender.projectId}'`,
      `WorkflowDefinitionId = '${id}'`,
      `ContactId = '${waiting.contactId}'`,
    ]) {
      const ids = await eventually(
        () => found(`${isRunning} and ${query}`),
        (list) => list.length > 0,
      );
      expect(ids, query).toEqual([workflowId]);
    }

    const handle = workflows().getHandle(workflowId);
    const described = await handle.describe();
    expect(await described.staticSummary()).toBe('One contact in a workflow');
    expect(described.priority?.fairnessKey).toBe(`${sender.projectId}/workflow-execution`);
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    const [, until = ''] =
      /^\*\*DELAY three days\*\*, until (.+) UTC at the latest$/.exec(currentDetails) ?? [];
    const lateMs = new Date(waiting.resumeAt).getTime() - new Date(`${until}Z`).getTime();
    expect(Math.abs(lateMs), currentDetails).toBeLessThan(61_000);
    const { events } = await handle.fetchHistory();
    const summaries = (events ?? []).flatMap(({ userMetadata }) => userMetadata?.summary?.data ?? []);
    expect(summaries.map((summary) => JSON.parse(Buffer.from(summary).toString()))).toEqual([
      'One contact in a workflow',
      'start',
      'WEBHOOK hook',
      'WEBHOOK hook',
      'DELAY three days',
    ]);
  });
});
