import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { askUntilAnswered, repeat } from './rehearse/clients.ts';
import { createAudience, expectBooksAgree, sendCampaign, untilCampaignIs } from './setup/campaign-outcome.ts';
import { emailStatuses } from './setup/email-statuses.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { startPostgresPair } from './setup/postgres-pair.ts';
import { createProcessStack } from './setup/process-stack.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

const pair = fileFixture(startPostgresPair);
const stack = fileFixture(
  async () => {
    const limits = { EMAIL_RATE_PER_SECOND: '100', API_RATE_LIMIT_PER_MINUTE: '0' };
    const processes = await createProcessStack(limits, pair);
    await processes.start();
    return processes;
  },
  ({ close }) => close(),
);
const recipients = 1_000;

const send = ({ post, domain }: TestSender, n: number) =>
  post(
    '/v1/send',
    { to: `one-${n}@example.com`, from: `hello@${domain}`, subject: `Order ${n}`, body: '<p>Thank you</p>' },
    { 'Idempotency-Key': `${n}` },
  );

const errors = async () => {
  const found = await runDoctor(loadConfig(stack.environment), stack.environment);
  return found.filter(({ level }) => level === 'error').map(({ area, text }) => `${area}: ${text}`);
};

it('a commit waits for a synchronous standby that is gone, and the doctor says so', async () => {
  const sender = await createTestSender(stack.url);
  await pair.stopStandby();
  const sent = send(sender, 0);
  const waits = /^Postgres: \d+ commits wait for a synchronous standby/;
  await eventually(errors, (found) => found.some((text) => waits.test(text)));
  await pair.restartStandby();
  expect((await sent).status).toBe(200);
});

it('a failover to a standby needs no restart, loses nothing that was accepted and sends nothing twice', async () => {
  const [shop, news] = [await createTestSender(stack.url), await createAudience(stack, recipients)];
  const accepted: number[] = [];
  let isOver = false;
  const load = repeat(
    10,
    () => isOver,
    async (n) => {
      const { verdict } = await askUntilAnswered(() => send(shop, n + 1));
      if (verdict === 'accepted') accepted.push(n + 1);
    },
  );
  const id = await sendCampaign(news);
  await eventually(
    () => stack.inboxTotal(),
    (total) => total > 200,
  );
  await pair.killPrimary();
  // Some connections lead to the standby before it is promoted.
  pair.leadTo('standby');
  await eventually(errors, (found) => found.some((text) => text.includes('it is a standby')));
  await pair.promoteStandby();
  await untilCampaignIs(news, id, 'SENT');
  await delay(1_000);
  isOver = true;
  await load;
  await eventually(
    () => emailStatuses(stack, 'true'),
    ({ DELIVERED, ...others }) => Object.keys(others).length === 0,
  );
  const { messages } = await stack.inbox();
  const reached = messages.flatMap(({ to }) => to);
  expect(new Set(reached).size).toBe(reached.length);
  expect(reached).toEqual(expect.arrayContaining(accepted.map((n) => `one-${n}@example.com`)));
  await expectBooksAgree(stack, news, id, recipients);
  expect([stack.running('api'), stack.running('worker')]).toMatchObject([{ length: 1 }, { length: 1 }]);
});
