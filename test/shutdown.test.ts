import { expect, it } from 'vitest';
import { freePort } from '../local/testing/free-port.ts';
import { emailStatuses } from './setup/email-statuses.ts';
import { eventually } from './setup/eventually.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { startWorkerProcess } from './setup/processes.ts';
import { createTestSender } from './setup/sender.ts';

const stack = useProcessStack();

it('a worker that waits for Temporal finishes its hand-overs before it ends', async () => {
  await stack.startApi();
  const sender = await createTestSender(stack.url);
  const worker = await startWorkerProcess(
    {
      ...stack.environment,
      TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
      METRICS_PORT: String(await freePort()),
    },
    undefined,
    '/health',
  );
  await stack.control('events', { paused: true });
  await stack.control('faults', { latencyMs: 2_500 });
  const from = `hello@${sender.domain}`;
  await sender.post('/v1/send', { to: 'reader@example.com', from, subject: 'Hello', body: '<p>Hello</p>' });
  await eventually(() => stack.inboxTotal(), 1);
  const exitCode = await worker.stop();
  expect(await emailStatuses(stack, 'project_id = $1', sender.projectId)).toEqual({ SENT: 1 });
  expect(exitCode).toBe(0);
});
