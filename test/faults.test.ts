import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningTemporal, startTemporal, type TemporalOptions } from '../local/temporal.ts';
import { findTemporalBinary } from '../local/temporal-binary.ts';
import { freePort } from '../local/testing/free-port.ts';
import { expectExactlyOnce, sendCampaign, untilCampaignIs } from './setup/campaign-outcome.ts';
import { insertContacts } from './setup/campaigns.ts';
import { emailStatuses, journaledSends } from './setup/email-statuses.ts';
import { eventually } from './setup/eventually.ts';
import { emptyInbox } from './setup/inbox.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

/**
 * API and worker as separate processes that tests may kill. Shared by the tests, each with a project of its own:
 * processes that run at the end of one test are the first of the next.
 */
const stack = useProcessStack({ UNKNOWN_OUTCOME_SECONDS: '3' });
let sender: TestSender;

beforeEach(async () => {
  await stack.control('faults', {});
  await stack.control('events', { paused: false });
  await emptyInbox(stack.ses);
  if (stack.running('api').length === 0) await stack.startApi();
  sender = await createTestSender(stack.url);
});

/** Two emails a second. */
const slow = { EMAIL_RATE_PER_SECOND: '2' };

const inbox = () => stack.inbox();

function send(count: number) {
  return sender.post('/v1/send', {
    to: Array.from({ length: count }, (_, index) => `reader-${index}@example.com`),
    from: `hello@${sender.domain}`,
    subject: 'Hello',
    body: '<p>Hello</p>',
  });
}

const statuses = () => emailStatuses(stack, 'project_id = $1', sender.projectId);
const journaled = () => journaledSends(stack, sender.projectId);

describe('a lost reply of the provider', () => {
  it("sends one copy if the provider's event settles it", async () => {
    await stack.runningWorker();
    await stack.control('faults', { dropReplyEvery: 1 });
    await send(6);
    await eventually(statuses, (found) => found.DELIVERED === 6);
    await delay(5_000);
    expect((await inbox()).total).toBe(6);
    expect(await journaled()).toEqual({ rows: 6, emails: 6 });
  });

  it('sends two copies at most if no event arrives either, and settles once it does', async () => {
    await stack.runningWorker();
    await stack.control('events', { paused: true });
    await stack.control('faults', { dropReplyEvery: 1 });
    await send(3);
    await eventually(inbox, (found) => found.total === 6);
    await delay(6_000);
    await eventually(statuses, (found) => found.UNKNOWN === 3);
    expect((await inbox()).total).toBe(6);
    await stack.control('events', { paused: false });
    await eventually(statuses, (found) => found.DELIVERED === 3);
    expect(await journaled()).toEqual({ rows: 3, emails: 3 });
  });
});

describe('a worker that is killed', () => {
  it('during a hand-over: no second copy is sent, and the outcome settles', async () => {
    const worker = await stack.runningWorker();
    await stack.control('faults', { latencyMs: 14_000 });
    await send(5);
    await eventually(inbox, (found) => found.total === 5);
    await worker.kill();
    await stack.control('faults', { latencyMs: 0 });
    await stack.startWorker(slow);
    await eventually(statuses, (found) => found.DELIVERED === 5);
    // Longer than the time after which an unanswered hand-over is retried.
    await delay(4_000);
    expect((await inbox()).total).toBe(5);
    expect(await journaled()).toEqual({ rows: 5, emails: 5 });
  });

  it('while emails wait for the send rate: another hands them over', async () => {
    // The worker dies while most emails wait for their turn.
    const worker = await stack.runningWorker(slow);
    await send(24);
    await eventually(inbox, (found) => found.total >= 3);
    await worker.kill();
    expect((await statuses()).QUEUED).toBeGreaterThan(0);
    await stack.startWorker({ EMAIL_RATE_PER_SECOND: '100' });
    await eventually(statuses, (found) => found.DELIVERED === 24);
    const { messages } = await inbox();
    expect(new Set(messages.map((message) => message.emailId)).size).toBe(24);
    expect(messages).toHaveLength(24);
    expect(await journaled()).toEqual({ rows: 24, emails: 24 });
  });
});

describe('a worker that is killed before it starts a hand-over', () => {
  /** Blocks recording the start of a hand-over, so that the worker can be killed in that moment. */
  async function hangBeforeHandOver(): Promise<void> {
    await stack.sql(
      `create function hang() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$`,
    );
    await stack.sql(
      `create trigger hang before update on emails for each row when (new.hand_over_begun) execute function hang()`,
    );
  }
  const hanging = async () =>
    (
      await stack.sql(
        `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      )
    ).length;

  it('twice: each email leaves once', async () => {
    await stack.runningWorker();
    await hangBeforeHandOver();
    await send(5);
    for (let death = 1; death <= 2; death += 1) {
      const worker = await stack.runningWorker();
      await eventually(hanging, (count) => count > 0);
      await worker.kill();
      // Postgres itself would notice the dead client only at the end of the statement.
      await stack.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event = 'PgSleep'`,
      );
      expect(await statuses()).toEqual({ SENDING: 5 });
      // Skips the minute in which the run might still be working.
      await stack.sql(
        `update emails set claimed_at = claimed_at - interval '1 minute' where project_id = $1`,
        [sender.projectId],
      );
    }
    await stack.sql('drop trigger hang on emails');
    await stack.startWorker();
    await eventually(statuses, (found) => found.DELIVERED === 5);
    expect((await inbox()).total).toBe(5);
    expect(await journaled()).toEqual({ rows: 5, emails: 5 });
    expect(
      await stack.sql('select distinct attempts from emails where project_id = $1', [sender.projectId]),
    ).toEqual([{ attempts: 1 }]);
  });
});

describe('while Temporal is down', () => {
  let temporal: RunningTemporal | undefined;
  let options: TemporalOptions;
  beforeAll(async () => {
    options = {
      binary: await findTemporalBinary({ environment: process.env }),
      directory: path.join(stack.directory, 'temporal'),
      port: await freePort(),
      uiPort: await freePort(),
      log: () => undefined,
    };
    await stack.killAll();
    stack.environment.TEMPORAL_ADDRESS = `127.0.0.1:${options.port}`;
  });
  afterAll(() => temporal?.stop());

  it('an API is killed after the commit and before the relay: nothing that it accepted is lost', async () => {
    // Its relay never gets through, so the work that it accepted is committed but not relayed when it dies.
    const [api] = stack.running('api');
    expect((await send(10)).status).toBe(200);
    await api?.kill();
    expect(await statuses()).toEqual({ QUEUED: 10 });
    temporal = await startTemporal(options);
    await stack.start();
    await eventually(statuses, (found) => found.DELIVERED === 10);
    expect((await inbox()).total).toBe(10);
  });

  const isMissed = async () =>
    /^posthaste_temporal_up 0$/m.test(await (await fetch(`${stack.url}/metrics`)).text());

  it('emails leave, throttled ones a little later', async () => {
    temporal ??= await startTemporal(options);
    await stack.runningWorker();
    await send(1);
    await eventually(inbox, (found) => found.total === 1);
    await eventually(isMissed, (missed) => !missed);

    await temporal.stop();
    await eventually(isMissed, (missed) => missed);
    const until = Date.now() + 30_000;
    let accepted = 1;
    while (Date.now() < until) {
      const answer = await send(2);
      expect(answer.status).toBe(200);
      accepted += 2;
      await eventually(inbox, (found) => found.total === accepted);
      await delay(1_000);
    }
    await stack.control('faults', { throttleEvery: 1 });
    await send(2);
    await eventually(statuses, (found) => found.QUEUED === 2);
    await delay(500);
    await stack.control('faults', { throttleEvery: 0 });
    await eventually(inbox, (found) => found.total === accepted + 2);
    temporal = await startTemporal(options);
    await eventually(isMissed, (missed) => !missed);
    await eventually(statuses, (found) => found.DELIVERED === accepted + 2);
    expect((await inbox()).total).toBe(accepted + 2);
  });

  it('a worker is killed during hand-overs whose workflow it has not recorded: each email leaves once', async () => {
    temporal ??= await startTemporal(options);
    const worker = await stack.runningWorker();
    await send(1);
    await eventually(statuses, (found) => found.DELIVERED === 1);
    const commands = () => stack.sql('select id from outbox where project_id = $1', [sender.projectId]);
    await eventually(commands, (list) => list.length === 0);

    process.kill(temporal.pid, 'SIGSTOP');
    try {
      await stack.control('faults', { latencyMs: 14_000 });
      await send(3);
      await eventually(inbox, (found) => found.total === 4);
      expect(await commands()).toHaveLength(3);
      await worker.kill();
    } finally {
      process.kill(temporal.pid, 'SIGCONT');
    }
    await stack.control('faults', { latencyMs: 0 });
    await stack.startWorker();
    await eventually(statuses, (found) => found.DELIVERED === 4);
    // Longer than the time after which an unanswered hand-over is retried.
    await delay(4_000);
    expect((await inbox()).total).toBe(4);
    expect(await journaled()).toEqual({ rows: 4, emails: 4 });
  });

  it('a campaign starts: each of its emails leaves once', async () => {
    temporal ??= await startTemporal(options);
    await stack.runningWorker();
    const recipients = 300;
    await insertContacts(stack.em(), sender.projectId, recipients);
    process.kill(temporal.pid, 'SIGSTOP');
    let id: string;
    try {
      id = await sendCampaign(sender);
      await eventually(inbox, (found) => found.total === recipients);
    } finally {
      process.kill(temporal.pid, 'SIGCONT');
    }
    await untilCampaignIs(sender, id, 'SENT');
    await expectExactlyOnce(stack, sender, id, recipients);
  });
});
