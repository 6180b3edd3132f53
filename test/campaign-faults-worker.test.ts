import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { faultTimeout, useCampaignFaultStage } from './setup/campaign-fault-stage.ts';
import { expectExactlyOnce, sendCampaign } from './setup/campaign-outcome.ts';
import { eventually } from './setup/eventually.ts';

const stage = useCampaignFaultStage();

describe('a worker that is killed', () => {
  it('at ten random moments: everyone gets the campaign once', { timeout: faultTimeout }, async () => {
    const recipients = 5_000;
    let worker = await stage.startAll(recipients, { EMAIL_RATE_PER_SECOND: '200' });
    await stage.stack.control('faults', { latencyMs: 50 });
    const id = await sendCampaign(stage.sender);
    for (let kill = 0; kill < 10; kill += 1) {
      await delay(200 + Math.random() * 2_500);
      await worker.kill();
      worker = await stage.stack.startWorker();
    }
    await expectExactlyOnce(stage.stack, stage.sender, id, recipients);
  });

  it('together with the API: both continue where they stopped', { timeout: faultTimeout }, async () => {
    const recipients = 2_000;
    await stage.startAll(recipients, { EMAIL_RATE_PER_SECOND: '200' });
    await stage.stack.control('faults', { latencyMs: 50 });
    const id = await sendCampaign(stage.sender);
    await eventually(stage.stack.inboxTotal, (total) => total > 300);
    await stage.stack.killAll();
    await Promise.all([stage.stack.startApi(), stage.stack.startWorker()]);
    await expectExactlyOnce(stage.stack, stage.sender, id, recipients);
  });
});
