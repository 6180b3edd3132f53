import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { checkTemporal } from '../doctor/temporal.ts';
import { startHttpServer } from '../providers/testing/http-server.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { deliver } from './setup/incoming.ts';
import { useTestProduct } from './setup/product.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { useOneSender } from './setup/sender.ts';

const bucket = fileFixture(
  () => startHttpServer(() => undefined),
  ({ close }) => close(),
);
const receiver = fileFixture(
  () => startHttpServer((_request, response) => void response.end()),
  ({ close }) => close(),
);
const stack = useTestProduct(() => ({
  INBOUND_S3_ENDPOINT: bucket.url,
  OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
}));
const sender = useOneSender(stack);
const temporal = fileFixture(
  () => createTemporalClient(stack.environment),
  ({ connection }) => connection.close(),
);

it('a webhook is called while more received emails wait for a silent bucket than a worker has slots', async () => {
  const content = Buffer.alloc(200_000, 'x').toString('base64');
  const attachments = [{ filename: 'large.txt', content }];
  for (let n = 0; n < 45; n += 1) {
    await deliver(stack, {
      from: 'ada@example.com',
      to: [`support@${sender.domain}`],
      subject: 'Hello',
      attachments,
    });
  }
  await eventually(
    async () => stack.sql(`select 1 from inbound_emails where status = 'PENDING'`),
    (pending) => pending.length === 45,
  );
  await eventually(
    async () => bucket.requests.length,
    (asked) => asked >= 2,
  );
  const id = await buildWorkflow(
    sender,
    { hook: { type: 'WEBHOOK', config: { url: receiver.url } }, end: { type: 'EXIT', config: {} } },
    [
      ['start', 'hook'],
      ['hook', 'end'],
    ],
  );
  await trackEvent(sender, 'signup', {}, 'bob@example.com');
  await onlyExecution(sender, id, 'EXITED');
  expect(receiver.requests).toHaveLength(1);
  const [row] = await stack.sql<{ pending: number }>(
    `select count(*)::int as pending from inbound_emails where status = 'PENDING'`,
  );
  expect(row?.pending).toBe(45);

  const queue = `${stack.environment.TEMPORAL_TASK_QUEUE}-inbound`;
  const waiting = new RegExp(`^about \\d+ tasks wait in ${queue}, the oldest for `);
  await eventually(
    () => checkTemporal(temporal, loadConfig(stack.environment), { lateSeconds: 5 }),
    (findings) => findings.some(({ level, text }) => level === 'warning' && waiting.test(text)),
  );
});
