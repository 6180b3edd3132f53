import type { History } from '@temporalio/common/lib/proto-utils.js';
import { beforeAll, expect, it } from 'vitest';
import type { EmailBatchInput } from '../temporal/contracts/email-batch.ts';
import { emailTaskQueue } from '../temporal/contracts/task-queues.ts';
import { eventually } from './setup/eventually.ts';
import { eventTypesOf } from './setup/history-text.ts';
import { arrived, reportEvent } from './setup/inbox.ts';
import { sharedProduct, type TestProduct } from './setup/product.ts';
import { createTestSender } from './setup/sender.ts';

let stack: TestProduct;
beforeAll(async () => {
  stack = await sharedProduct();
});

it('takes an email from the API over Temporal and SES to the inbox, and what became of it to the feed', async () => {
  const sender = await createTestSender(stack.url);
  const sent = await sender.post('/v1/send', {
    to: { email: 'Ada@Example.com', name: 'Ada L.' },
    from: { email: `hello@${sender.domain}`, name: 'Example' },
    subject: 'Hello {{ firstName ?? "friend" }}',
    body: '<p>Hello <b>{{ firstName }}</b>, your code is {{ code }}.</p>',
    reply: `answers@${sender.domain}`,
    headers: { 'X-Campaign': 'spring' },
    data: { firstName: '<Ada>', code: { value: '481516', persistent: false } },
  });
  expect(sent.status).toBe(200);
  const [{ contact, email }] = sent.body.data.emails;
  expect(contact.email).toBe('ada@example.com');

  const message = await arrived(stack.ses, sent);
  expect(message).toMatchObject({
    emailId: email,
    from: `Example <hello@${sender.domain}>`,
    to: ['"Ada L." <ada@example.com>'],
    subject: 'Hello <Ada>',
    html: expect.stringContaining('Hello <b>&lt;Ada&gt;</b>, your code is 481516.'),
    text: expect.stringContaining('your code is 481516.'),
    headers: expect.objectContaining({ 'X-Campaign': 'spring' }),
  });

  await reportEvent(stack.ses, message.id, { type: 'open' });
  const feed = await eventually(
    () => sender.get('/activity'),
    (answer) => answer.body.data?.length >= 3,
  );
  expect(feed.body.data.map((row: { type: string }) => row.type)).toEqual([
    'email.opened',
    'email.delivered',
    'email.sent',
  ]);
  expect(feed.body.data[2]).toMatchObject({
    contactId: contact.id,
    contactEmail: 'ada@example.com',
    metadata: {
      emailId: email,
      subject: 'Hello <Ada>',
      from: `hello@${sender.domain}`,
      sourceType: 'TRANSACTIONAL',
    },
  });

  const stored = await sender.get(`/contacts/${contact.id}`);
  expect(stored.body).toMatchObject({ subscribed: false, data: { firstName: '<Ada>' } });
  expect(stored.body.data).not.toHaveProperty('code');
});

it('hands a single email over within the first task of its workflow, which came with the answer to its start', async () => {
  const sender = await createTestSender(stack.url);
  const sent = await sender.post('/v1/send', {
    to: 'ada@example.com',
    from: `hello@${sender.domain}`,
    subject: 'Hello',
    body: '<p>Hello</p>',
  });
  await arrived(stack.ses, sent);

  const { temporal, config } = stack.product.resources;
  const query = `TaskQueue = '${emailTaskQueue(config.TEMPORAL_TASK_QUEUE)}' and ExecutionStatus = 'Completed'`;
  const history = await eventually(
    async () => {
      for await (const { workflowId } of temporal.workflow.list({ query })) {
        const found = await temporal.workflow.getHandle(workflowId).fetchHistory();
        const [id] = inputOf(found).emailIds;
        if (id === sent.body.data.emails[0].email) return found;
      }
      return undefined;
    },
    (found) => found !== undefined,
  );
  expect(eventTypesOf(history ?? {})).toEqual([
    'WORKFLOW_EXECUTION_STARTED',
    'WORKFLOW_TASK_SCHEDULED',
    'WORKFLOW_TASK_STARTED',
    'WORKFLOW_TASK_COMPLETED',
    'MARKER_RECORDED',
    'WORKFLOW_EXECUTION_COMPLETED',
  ]);
  expect(history?.events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted).toBe(true);
});

function inputOf(history: History): EmailBatchInput {
  const payloads = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payloads[0]?.data ?? []).toString());
}
