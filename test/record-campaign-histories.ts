import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { CampaignView } from '../temporal/contracts/campaign.ts';
import { historyText } from './setup/history-text.ts';
import { runCampaign, type ScriptedCampaign, scriptCampaign } from './setup/scripted-campaign.ts';
import { runWorkflow, startTimeSkipping } from './setup/time-skipping.ts';

/**
 * Records a history of every form that a campaign can take, as `record-histories.ts` does for the other workflows.
 *
 * `npm run record:campaigns -- <label>`
 */
const label = process.argv[2];
if (label === undefined) throw new Error('Give the recording a label, such as the date.');

const folder = new URL('../temporal/histories/', import.meta.url);
await mkdir(folder, { recursive: true });
const environment = await startTimeSkipping();
const inAnHour = (await environment.currentTimeMs()) + 3_600_000;

type Shape = {
  name: string;
  campaign: ScriptedCampaign;
  during?: (handle: WorkflowHandle, campaign: ScriptedCampaign) => Promise<void>;
};

/** Changes the campaign once its workflow has read it, and signals the workflow. */
const change =
  (changes: Partial<CampaignView>) =>
  async (handle: WorkflowHandle, campaign: ScriptedCampaign): Promise<void> => {
    while (campaign.looks === 0) await delay(5);
    Object.assign(campaign.view, changes);
    await handle.signal('changed');
  };

const scheduled = () => scriptCampaign({ status: 'SCHEDULED', dueAt: inAnHour + 3_600_000_000 }, 2);
const failing = scriptCampaign({}, 2);
let failures = 0;
const { sendBatch, freezeAudience } = failing.activities;
failing.activities.freezeAudience = async (input) => {
  failures += 1;
  if (failures < 3) throw new Error('no database');
  return freezeAudience(input);
};
failing.activities.sendBatch = async (input) => {
  failures += 1;
  if (failures < 8) throw new Error('no database');
  return sendBatch(input);
};

const doubtful = scriptCampaign({}, 3);
const settled = [
  { queued: 0, waitMs: 120_000 },
  { queued: 7, waitMs: 0 },
  { queued: 0, waitMs: 0 },
];
doubtful.activities.settleCampaign = async () => {
  const result = settled.shift() ?? { queued: 0, waitMs: 0 };
  if (result.queued > 0 || result.waitMs > 0) doubtful.open = [2];
  return result;
};

const long = scriptCampaign({}, 20);
const { listOpenBatches } = long.activities;
long.activities.listOpenBatches = (input) => listOpenBatches({ ...input, limit: 12 });

const stopped = scriptCampaign({}, 20);
let begun = 0;
stopped.activities.sendBatch = async () => {
  begun += 1;
  return { sent: 1, queued: 499, retryInMs: 3_600_000_000, waiting: 0 };
};

const shapes: Shape[] = [
  { name: 'campaign-sent-now', campaign: scriptCampaign({}, 10) },
  { name: 'campaign-nobody', campaign: scriptCampaign({}, 0) },
  { name: 'campaign-scheduled', campaign: scriptCampaign({ status: 'SCHEDULED', dueAt: inAnHour }, 2) },
  { name: 'campaign-rescheduled', campaign: scheduled(), during: change({ dueAt: inAnHour + 7_200_000 }) },
  { name: 'campaign-scheduled-sent-now', campaign: scheduled(), during: change({ status: 'SENDING' }) },
  { name: 'campaign-cancelled-before', campaign: scheduled(), during: change({ status: 'CANCELLED' }) },
  {
    name: 'campaign-cancelled-during',
    campaign: stopped,
    during: async (handle, campaign) => {
      while (begun < 8) await delay(20);
      await change({ status: 'CANCELLED' })(handle, campaign);
    },
  },
  { name: 'campaign-with-failures', campaign: failing },
  { name: 'campaign-in-doubt', campaign: doubtful },
  { name: 'campaign-long', campaign: long },
];

for (const { name, campaign, during } of shapes) {
  const histories = await runCampaign(environment, campaign, async (handle) => during?.(handle, campaign));
  for (const [index, history] of histories.entries()) {
    const part = histories.length > 1 ? `-${index + 1}` : '';
    await writeFile(new URL(`${name}${part}.${label}.json`, folder), historyText(history));
  }
}

const input = { campaignId: 'c', projectId: 'p', batch: 1 };
const round = { sent: 100, queued: 400, retryInMs: 1_000, waiting: 0 };
const batches = {
  'campaign-batch': [{ sent: 500, queued: 0, retryInMs: 0, waiting: 0 }],
  'campaign-batch-with-rounds': [round, round, { sent: 300, queued: 0, retryInMs: 0, waiting: 3 }],
};
for (const [name, results] of Object.entries(batches)) {
  const left = [...results];
  const { history } = await runWorkflow(
    environment,
    'campaignBatch',
    input,
    {},
    {
      sendBatch: async () => left.shift(),
    },
  );
  await writeFile(new URL(`${name}.${label}.json`, folder), historyText(history));
}

const sweeps = {
  campaigns: { tendCampaigns: async () => ({ folded: 12, reminded: 1 }) },
  'campaign-recount': { recountCampaigns: async () => ({ campaigns: 3, differences: 0 }) },
};
for (const [sweep, activities] of Object.entries(sweeps)) {
  const { history } = await runWorkflow(environment, 'sweep', { sweep }, activities);
  await writeFile(new URL(`sweep-${sweep}.${label}.json`, folder), historyText(history));
}
await environment.teardown();
