import type { History } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import type { EmailBatchInput } from '../temporal/contracts/email-batch.ts';
import { emailTaskQueue } from '../temporal/contracts/task-queues.ts';
import { eventually } from './setup/eventually.ts';
import { arrived, reportEvent } from './setup/inbox.ts';
import { createTestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();

it('takes an email from the API through SES to the inbox, and its events to the feed', async () => {
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

it('needs a workflow only if the provider does not take the email; the workflow then completes it', async () => {
  const sender = await createTestSender(stack.url);
  const send = async () => {
    const sent = await sender.post('/v1/send', {
      to: 'ada@example.com',
      from: `hello@${sender.domain}`,
      subject: 'Hello',
      body: '<p>Hello</p>',
    });
    return { sent, id: sent.body.data.emails[0].email as string };
  };
  // On a busy machine a first try may take so long that a workflow joins in.
  await eventually(
    async () => {
      const { sent, id } = await send();
      await arrived(stack.ses, sent);
      return batchOf(id);
    },
    (batch) => batch === undefined,
  );

  await setFaults({ throttleEvery: 1 });
  const throttled = await send();
  const history = await eventually(
    () => batchOf(throttled.id),
    (found) => found !== undefined,
  ).finally(() => setFaults({}));
  await arrived(stack.ses, throttled.sent);
  expect(inputOf(history ?? {})).toEqual({ emailIds: [throttled.id], round: 0 });
});

const setFaults = (faults: { throttleEvery?: number }) =>
  fetch(`${stack.ses.url}/api/faults`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(faults),
  });

async function batchOf(emailId: string): Promise<History | undefined> {
  const { temporal, config } = stack.product.resources;
  const query = `TaskQueue = '${emailTaskQueue(config.TEMPORAL_TASK_QUEUE)}'`;
  for await (const { workflowId } of temporal.workflow.list({ query })) {
    const history = await temporal.workflow.getHandle(workflowId).fetchHistory();
    if (inputOf(history).emailIds.includes(emailId)) return history;
  }
  return undefined;
}

function inputOf(history: History): EmailBatchInput {
  const payloads = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payloads[0]?.data ?? []).toString());
}
