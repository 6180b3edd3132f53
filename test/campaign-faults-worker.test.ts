import { setTimeout as delay } from 'node:timers/promises';
import { it } from 'vitest';
import { faultTimeout, useCampaignFaultStage } from './setup/campaign-fault-stage.ts';
import { expectExactlyOnce, sendCampaign } from './setup/campaign-outcome.ts';

const stage = useCampaignFaultStage({ EMAIL_RATE_PER_SECOND: '200' });

it('a worker that is killed at six random moments, and once with the API: everyone gets the campaign once', {
  timeout: faultTimeout,
}, async () => {
  const recipients = 3_000;
  const { stack } = stage;
  const sender = await stage.createAudience(recipients);
  await stack.control('faults', { latencyMs: 50 });
  const id = await sendCampaign(sender);
  for (let kill = 1; kill <= 6; kill += 1) {
    await delay(200 + Math.random() * 2_500);
    const isWithApi = kill === 3;
    await (isWithApi ? stack.killAll() : stack.running('worker')[0]?.kill());
    // The API first: until it listens, its port is free for the metrics of the worker.
    if (isWithApi) await stack.startApi();
    await stack.startWorker();
  }
  await expectExactlyOnce(stack, sender, id, recipients);
});
