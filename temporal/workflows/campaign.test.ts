import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/setup/eventually.ts';
import { runCampaign, scriptCampaign } from '../../test/setup/scripted-campaign.ts';
import { useTimeSkipping } from '../../test/setup/time-skipping.ts';
import type { CampaignBatchInput } from '../contracts/campaign.ts';
import { batchesAtOnce } from './campaign.plan.ts';

const environment = useTimeSkipping();

const now = () => environment.currentTimeMs();
const hour = 3_600_000;
const each = (count: number, times = 1) =>
  new Map(Array.from({ length: count }, (_, index) => [index + 1, times]));

describe('a campaign being sent', () => {
  it('freezes its audience, sends every batch once, settles and ends', async () => {
    const campaign = scriptCampaign({}, 20);
    await runCampaign(environment, campaign);
    expect(campaign.sent).toEqual(each(20));
    expect(campaign.steps).toEqual(['freeze', 'settle', 'finish']);
  });

  it('sends a few batches in parallel, and never more', async () => {
    let running = 0;
    let most = 0;
    const campaign = scriptCampaign({}, 24);
    const { sendBatch } = campaign.activities;
    const send = async (input: CampaignBatchInput) => {
      running += 1;
      most = Math.max(most, running);
      // A busy machine takes longer to begin them all than one of them would last.
      while (most < batchesAtOnce) await delay(20);
      await delay(100);
      running -= 1;
      return sendBatch(input);
    };
    const batches = new Map<number, ReturnType<typeof send>>();
    campaign.activities.sendBatch = (input) => {
      // Without heartbeats it is eventually taken for dead and retried: the retry joins the first attempt.
      const begun = batches.get(input.batch) ?? send(input);
      batches.set(input.batch, begun);
      return begun;
    };
    await runCampaign(environment, campaign);
    expect(campaign.sent).toEqual(each(24));
    expect(most).toBe(batchesAtOnce);
  });

  it('says how many batches are open while the first ones are being sent', async () => {
    const campaign = scriptCampaign({}, 3);
    const { sendBatch } = campaign.activities;
    const seen = Promise.withResolvers<void>();
    campaign.activities.sendBatch = async (input) => {
      await seen.promise;
      return sendBatch(input);
    };
    await runCampaign(environment, campaign, async (handle) => {
      const details = () => handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      const shown = eventually(details, ({ currentDetails }) =>
        currentDetails.includes('**0** of **3** open'),
      );
      await shown.finally(seen.resolve);
    });
  });

  it('ends immediately with an empty audience', async () => {
    const campaign = scriptCampaign({}, 0);
    await runCampaign(environment, campaign);
    expect(campaign.steps).toEqual(['freeze', 'finish']);
  });

  it('continues from the state of the freeze and the batches', async () => {
    const campaign = scriptCampaign({ isFrozen: true }, 5);
    campaign.open = [2, 5];
    await runCampaign(environment, campaign);
    expect([...campaign.sent.keys()].toSorted()).toEqual([2, 5]);
    expect(campaign.steps).toEqual(['settle', 'finish']);
  });

  it('returns to a batch that has to wait', async () => {
    const looks: number[] = [];
    const campaign = scriptCampaign({}, 1);
    const { sendBatch } = campaign.activities;
    campaign.activities.sendBatch = async (input) => {
      looks.push(await now());
      if (looks.length < 3) return { sent: 1, queued: 499, retryInMs: 60_000, waiting: 0 };
      return sendBatch(input);
    };
    await runCampaign(environment, campaign);
    expect(looks).toHaveLength(3);
    expect((looks[2] ?? 0) - (looks[0] ?? 0)).toBeGreaterThanOrEqual(120_000);
  });

  it('waits for emails in doubt, and sends requeued ones again', async () => {
    const campaign = scriptCampaign({}, 3);
    const results = [
      { queued: 0, waitMs: 120_000 },
      { queued: 40, waitMs: 0 },
    ];
    let settledAt = 0;
    campaign.activities.settleCampaign = async () => {
      const result = results.shift() ?? { queued: 0, waitMs: 0 };
      if (result.waitMs > 0) {
        campaign.open = [2];
        // None of it is queued yet, so the round finds nothing.
        campaign.sent.delete(2);
        settledAt = await now();
      }
      if (result.queued > 0) {
        expect((await now()) - settledAt).toBeGreaterThanOrEqual(120_000);
        campaign.open = [2];
      }
      return result;
    };
    await runCampaign(environment, campaign);
    expect(campaign.steps.at(-1)).toBe('finish');
    expect(campaign.sent.get(2)).toBe(2);
  });

  it('outlasts an unreachable database', async () => {
    let failures = 0;
    const campaign = scriptCampaign({}, 3);
    const { freezeAudience, sendBatch } = campaign.activities;
    const failing =
      <Input, Result>(step: (input: Input) => Promise<Result>) =>
      async (input: Input) => {
        failures += 1;
        if (failures % 4 !== 0) throw new Error('no database');
        return step(input);
      };
    campaign.activities.freezeAudience = failing(freezeAudience);
    campaign.activities.sendBatch = failing(sendBatch);
    await runCampaign(environment, campaign);
    expect(campaign.sent).toEqual(each(3));
    expect(failures).toBeGreaterThan(8);
  });

  it('continues in a new run when there are many batches, and sends each once', async () => {
    const campaign = scriptCampaign({}, 30);
    const { listOpenBatches } = campaign.activities;
    campaign.activities.listOpenBatches = (input) => listOpenBatches({ ...input, limit: 12 });
    const histories = await runCampaign(environment, campaign);
    expect(histories).toHaveLength(3);
    expect(campaign.sent).toEqual(each(30));
    expect(campaign.steps).toEqual(['freeze', 'settle', 'finish']);
  });
});

describe('a scheduled campaign', () => {
  it('begins at its time', async () => {
    const startedAt = await now();
    let begunAt = 0;
    const campaign = scriptCampaign({ status: 'SCHEDULED', dueAt: startedAt + 5 * hour }, 2);
    const { beginCampaign } = campaign.activities;
    campaign.activities.beginCampaign = async (input) => {
      begunAt = await now();
      return beginCampaign(input);
    };
    await runCampaign(environment, campaign);
    expect(begunAt - startedAt).toBeGreaterThanOrEqual(5 * hour);
    expect(begunAt - startedAt).toBeLessThan(5 * hour + 60_000);
    expect(campaign.steps).toEqual(['begin', 'freeze', 'settle', 'finish']);
  });

  it('asks again when the database clock lags', async () => {
    const campaign = scriptCampaign({ status: 'SCHEDULED', dueAt: await now() }, 1);
    const { beginCampaign } = campaign.activities;
    let asked = 0;
    campaign.activities.beginCampaign = async (input) => {
      asked += 1;
      return asked > 2 && beginCampaign(input);
    };
    await runCampaign(environment, campaign);
    expect(asked).toBe(3);
    expect(campaign.sent).toEqual(each(1));
  });

  it.each([
    ['earlier', 1],
    ['later', 48],
  ])('can be moved to an %s time', async (_, hours) => {
    const startedAt = await now();
    let begunAt = 0;
    const campaign = scriptCampaign({ status: 'SCHEDULED', dueAt: startedAt + 24 * hour }, 1);
    const { beginCampaign } = campaign.activities;
    campaign.activities.beginCampaign = async (input) => {
      begunAt = await now();
      return beginCampaign(input);
    };
    await runCampaign(environment, campaign, async (handle) => {
      campaign.view.dueAt = startedAt + hours * hour;
      await handle.signal('changed');
    });
    expect(begunAt - startedAt).toBeGreaterThanOrEqual(hours * hour);
    expect(begunAt - startedAt).toBeLessThan(hours * hour + 60_000);
  });

  it('can be sent now', async () => {
    const startedAt = await now();
    let frozenAt = 0;
    const campaign = scriptCampaign({ status: 'SCHEDULED', dueAt: startedAt + 24 * hour }, 1);
    const { freezeAudience } = campaign.activities;
    campaign.activities.freezeAudience = async (input) => {
      frozenAt = await now();
      return freezeAudience(input);
    };
    await runCampaign(environment, campaign, async (handle) => {
      campaign.view.status = 'SENDING';
      await handle.signal('changed');
    });
    expect(campaign.steps).toEqual(['freeze', 'settle', 'finish']);
    expect(frozenAt - startedAt).toBeLessThan(hour);
  });

  it('can be canceled', async () => {
    const campaign = scriptCampaign({ status: 'SCHEDULED', dueAt: (await now()) + 24 * hour }, 1);
    await runCampaign(environment, campaign, async (handle) => {
      campaign.view.status = 'CANCELLED';
      await handle.signal('changed');
    });
    // A signal that arrives during the last step makes the server ask for it again.
    expect(new Set(campaign.steps)).toEqual(new Set(['cancel']));
    expect(campaign.sent.size).toBe(0);
  });
});

describe('a campaign that is canceled while being sent', () => {
  it('starts no further batch, stops waiting ones, and cancels the rest', async () => {
    const campaign = scriptCampaign({}, 40);
    let begun = 0;
    campaign.activities.sendBatch = async () => {
      begun += 1;
      return { sent: 1, queued: 499, retryInMs: 30 * 24 * hour, waiting: 0 };
    };
    await runCampaign(environment, campaign, async (handle) => {
      while (begun < batchesAtOnce) await delay(20);
      campaign.view.status = 'CANCELLED';
      await handle.signal('changed');
      // After this the clock jumps ahead, and would jump over the month while the batches are being stopped.
      while (!campaign.steps.includes('cancel')) await delay(20);
    });
    expect(begun).toBe(batchesAtOnce);
    expect(campaign.steps).toEqual(['freeze', 'cancel']);
  });

  it('checks again while some of it is still in flight', async () => {
    const campaign = scriptCampaign({ status: 'CANCELLED' }, 0);
    let looks = 0;
    campaign.activities.cancelRemaining = async () => {
      looks += 1;
      return looks < 3 ? 60_000 : 0;
    };
    await runCampaign(environment, campaign);
    expect(looks).toBe(3);
  });
});

describe('a workflow that its campaign does not need', () => {
  it.each(['DRAFT', 'SENT'] as const)('ends immediately when the campaign is %s', async (status) => {
    const campaign = scriptCampaign({ status }, 3);
    await runCampaign(environment, campaign);
    expect(campaign.steps).toEqual([]);
  });
});
