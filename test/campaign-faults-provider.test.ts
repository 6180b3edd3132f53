import { describe, expect, it } from 'vitest';
import { faultTimeout, useCampaignFaultStage } from './setup/campaign-fault-stage.ts';
import {
  expectBooksAgree,
  expectExactlyOnce,
  expectNobodyTwice,
  sendCampaign,
  statusesOf,
  untilCampaignIs,
  untilStatuses,
} from './setup/campaign-outcome.ts';
import { eventually } from './setup/eventually.ts';

const stage = useCampaignFaultStage({ EMAIL_RATE_PER_SECOND: '400' });

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, count) => all + count, 0);

describe('a cancellation while sending', () => {
  it('stops the campaign: only emails already being handed over leave, and the counts agree', {
    timeout: faultTimeout,
  }, async () => {
    // So many that sending takes half a minute, and the cancellation comes in the middle.
    const recipients = 10_000;
    const sender = await stage.createAudience(recipients);
    const id = await sendCampaign(sender);
    await eventually(stage.stack.inboxTotal, (total) => total > 400);
    // A cancellation ends the freeze of the audience, too.
    await untilStatuses(stage.stack, id, (found) => sum(found) === recipients);
    expect((await sender.post(`/campaigns/${id}/cancel`, {})).status).toBe(200);
    const inHand = (await statusesOf(stage.stack, id)).SENDING ?? 0;
    const left = await stage.stack.inboxTotal();
    // Nothing is SENDING, UNKNOWN or QUEUED any more.
    const counts = await untilStatuses(
      stage.stack,
      id,
      (found) => (found.DELIVERED ?? 0) + (found.CANCELLED ?? 0) === recipients,
    );
    const reached = await expectNobodyTwice(stage.stack);
    expect(reached.length).toBeLessThanOrEqual(left + inHand);
    expect(reached).toHaveLength(counts.DELIVERED ?? 0);
    expect(counts.CANCELLED).toBeGreaterThan(0);
    await untilCampaignIs(sender, id, 'CANCELLED');
    await expectBooksAgree(stage.stack, sender, id, recipients);
  });
});

describe('a misbehaving provider', () => {
  it('throttles and drops replies: everyone gets the campaign once', { timeout: faultTimeout }, async () => {
    const recipients = 1_500;
    const sender = await stage.createAudience(recipients);
    await stage.stack.control('faults', { latencyMs: 10, throttleEvery: 4, dropReplyEvery: 5 });
    await expectExactlyOnce(stage.stack, sender, await sendCampaign(sender), recipients);
  });

  it('refuses some: the others get it once, and those are FAILED', { timeout: faultTimeout }, async () => {
    const recipients = 1_000;
    const sender = await stage.createAudience(recipients);
    await stage.stack.control('faults', { failEvery: 7, throttleEvery: 11, dropReplyEvery: 13 });
    const id = await sendCampaign(sender);
    await untilCampaignIs(sender, id, 'SENT');
    const counts = await untilStatuses(
      stage.stack,
      id,
      (found) => (found.DELIVERED ?? 0) + (found.FAILED ?? 0) === recipients,
    );
    expect(counts.FAILED).toBeGreaterThan(0);
    expect(await expectNobodyTwice(stage.stack)).toHaveLength(counts.DELIVERED ?? 0);
    await expectBooksAgree(stage.stack, sender, id, recipients);
  });
});
