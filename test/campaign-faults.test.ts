import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/sql.ts';
import {
  createAudience,
  expectBooksAgree,
  expectExactlyOnce,
  expectNobodyTwice,
  sendCampaign,
  statusesOf,
  untilCampaignIs,
  untilStatuses,
} from './setup/campaign-outcome.ts';
import { eventually } from './setup/eventually.ts';
import { startOwnPostgres } from './setup/own-postgres.ts';
import { createProcessStack, type ProcessStack } from './setup/process-stack.ts';
import type { TestProcess } from './setup/processes.ts';
import type { TestSender } from './setup/sender.ts';

/** API and worker as processes of their own, to be killed in the middle of a campaign. */
let stack: ProcessStack;
let sender: TestSender;

/** Ten starts of a worker alone take minutes on a busy machine. */
const timeout = 1_200_000;

const settings = { UNKNOWN_OUTCOME_SECONDS: '10' };

beforeEach(async () => {
  stack = await createProcessStack(settings);
}, 60_000);
afterEach(() => stack.close(), 60_000);

async function startAll(recipients: number): Promise<TestProcess> {
  const [, worker] = await Promise.all([stack.startApi(), stack.startWorker()]);
  sender = await createAudience(stack, recipients);
  return worker;
}

describe('a worker that is killed', () => {
  it('at ten random moments: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 5_000;
    stack.environment.EMAIL_RATE_PER_SECOND = '200';
    let worker = await startAll(recipients);
    await stack.control('faults', { latencyMs: 50 });
    const id = await sendCampaign(sender);
    for (let kill = 0; kill < 10; kill += 1) {
      await delay(200 + Math.random() * 2_500);
      await worker.kill();
      worker = await stack.startWorker();
    }
    await expectExactlyOnce(stack, sender, id, recipients);
  });

  it('together with the API: both go on where they were', { timeout }, async () => {
    const recipients = 2_000;
    stack.environment.EMAIL_RATE_PER_SECOND = '200';
    await startAll(recipients);
    await stack.control('faults', { latencyMs: 50 });
    const id = await sendCampaign(sender);
    await eventually(stack.inboxTotal, (total) => total > 300, 60_000);
    await stack.killAll();
    await Promise.all([stack.startApi(), stack.startWorker()]);
    await expectExactlyOnce(stack, sender, id, recipients);
  });
});

describe('a database whose connections break', () => {
  it('again and again: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 3_000;
    stack.environment.EMAIL_RATE_PER_SECOND = '300';
    await startAll(recipients);
    const id = await sendCampaign(sender);
    for (let cut = 0; cut < 8; cut += 1) {
      await delay(500 + Math.random() * 1_000);
      await sql(
        stack.em(),
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name = 'posthaste'`,
      );
    }
    await expectExactlyOnce(stack, sender, id, recipients);
  });
});

describe('a Postgres that crashes', () => {
  it('twice in the middle: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 4_000;
    const postgres = await startOwnPostgres();
    await stack.close();
    stack = await createProcessStack({ ...settings, EMAIL_RATE_PER_SECOND: '400' }, postgres);
    await startAll(recipients);
    await stack.control('faults', { latencyMs: 50 });
    const id = await sendCampaign(sender);
    for (const [reached, downMs] of [
      [recipients / 10, 200],
      [recipients / 2, 6_000],
    ] as const) {
      await eventually(stack.inboxTotal, (total) => total > reached, 120_000);
      await postgres.crash();
      await delay(downMs);
      await postgres.restart();
    }
    expect(await stack.inboxTotal()).toBeLessThan(recipients);
    await expectExactlyOnce(stack, sender, id, recipients);
  });
});

describe('a provider that misbehaves', () => {
  it('throttles and drops replies: everyone gets the campaign once', { timeout }, async () => {
    const recipients = 3_000;
    await startAll(recipients);
    await stack.control('faults', { latencyMs: 10, throttleEvery: 4, dropReplyEvery: 5 });
    await expectExactlyOnce(stack, sender, await sendCampaign(sender), recipients);
  });

  it('refuses some: the others get it once, and those are FAILED', { timeout }, async () => {
    const recipients = 2_000;
    await startAll(recipients);
    await stack.control('faults', { failEvery: 7, throttleEvery: 11, dropReplyEvery: 13 });
    const id = await sendCampaign(sender);
    await untilCampaignIs(sender, id, 'SENT');
    const counts = await untilStatuses(
      stack,
      id,
      (found) => (found.DELIVERED ?? 0) + (found.FAILED ?? 0) === recipients,
    );
    expect(counts.FAILED).toBeGreaterThan(0);
    expect(await expectNobodyTwice(stack)).toHaveLength(counts.DELIVERED ?? 0);
    await expectBooksAgree(stack, sender, id, recipients);
  });
});

describe('a cancel in the middle', () => {
  it('stops the campaign: nothing leaves but what was in hand, and the sums agree', { timeout }, async () => {
    const recipients = 5_000;
    stack.environment.EMAIL_RATE_PER_SECOND = '400';
    await startAll(recipients);
    const id = await sendCampaign(sender);
    await eventually(stack.inboxTotal, (total) => total > 400, 60_000);
    expect((await sender.post(`/campaigns/${id}/cancel`, {})).status).toBe(200);
    const inHand = (await statusesOf(stack, id)).SENDING ?? 0;
    const left = await stack.inboxTotal();
    // Nothing is SENDING, UNKNOWN or QUEUED any more.
    const counts = await untilStatuses(
      stack,
      id,
      (found) => (found.DELIVERED ?? 0) + (found.CANCELLED ?? 0) === recipients,
    );
    const reached = await expectNobodyTwice(stack);
    expect(reached.length).toBeLessThanOrEqual(left + inHand);
    expect(reached).toHaveLength(counts.DELIVERED ?? 0);
    expect(counts.CANCELLED).toBeGreaterThan(0);
    await untilCampaignIs(sender, id, 'CANCELLED');
    await expectBooksAgree(stack, sender, id, recipients);
  });
});
