import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { faultTimeout, useCampaignFaultStage } from './setup/campaign-fault-stage.ts';
import { expectExactlyOnce, sendCampaign } from './setup/campaign-outcome.ts';
import { eventually } from './setup/eventually.ts';
import { type OwnPostgres, startOwnPostgres } from './setup/own-postgres.ts';

let postgres: OwnPostgres;
/** Slow enough that each crash comes long before the last email. */
const stage = useCampaignFaultStage({ EMAIL_RATE_PER_SECOND: '150' }, async () => {
  postgres = await startOwnPostgres();
  return postgres;
});

describe('a database whose connections break', () => {
  it('again and again: everyone gets the campaign once', { timeout: faultTimeout }, async () => {
    const recipients = 3_000;
    const sender = await stage.createAudience(recipients);
    const id = await sendCampaign(sender);
    for (let cut = 0; cut < 8; cut += 1) {
      await delay(500 + Math.random() * 1_000);
      await stage.stack.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name = 'posthaste'`,
      );
    }
    await expectExactlyOnce(stage.stack, sender, id, recipients);
  });
});

describe('a Postgres that crashes', () => {
  it('twice in the middle: everyone gets the campaign once', { timeout: faultTimeout }, async () => {
    const recipients = 4_000;
    const sender = await stage.createAudience(recipients);
    await stage.stack.control('faults', { latencyMs: 50 });
    const id = await sendCampaign(sender);
    for (const [reached, downMs] of [
      [recipients / 10, 200],
      [recipients / 2, 6_000],
    ] as const) {
      await eventually(stage.stack.inboxTotal, (total) => total > reached);
      await postgres.crash();
      await delay(downMs);
      await postgres.restart();
    }
    expect(await stage.stack.inboxTotal()).toBeLessThan(recipients);
    await expectExactlyOnce(stage.stack, sender, id, recipients);
  });
});
