import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  isCancellation,
  log,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type CampaignActivities,
  type CampaignBatchInput,
  type CampaignInput,
  type CampaignView,
  campaignBatchWorkflow,
  campaignChangedSignal,
} from '../contracts/campaign.ts';
import { priorities, workflowIds } from '../contracts/operations.ts';
import { batchesPerRun, describeCampaign, laneCount, nextSendingStep, nextStep } from './campaign.plan.ts';

const database = proxyLocalActivities<CampaignActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const changed = defineSignal(campaignChangedSignal);
/** The database's clock decides whether a campaign is due, and may be behind this one. */
const clockDifferenceMs = 1_000;
const failedBatchPauseMs = 10_000;

/**
 * Sees a campaign through: waits for its time, freezes its audience, sends it batch by batch in lanes, and settles
 * what stayed in doubt. All state is the campaign's row; the signal only says that it is worth a look, so a lost
 * workflow is replaced by starting another one.
 */
export async function campaign(input: CampaignInput): Promise<void> {
  const { campaignId } = input;
  let changes = 0;
  setHandler(changed, () => {
    changes += 1;
  });

  for (let { after } = input; ; ) {
    const seen = changes;
    const view = await database.loadCampaign({ campaignId });
    const step = nextStep(view, Date.now());
    if (view !== null) setCurrentDetails(describeCampaign(view, { ended: 0, ofBatches: 0 }));
    switch (step.do) {
      case 'end':
        return;
      case 'cancel': {
        const waitMs = await database.cancelRemaining({ campaignId });
        if (waitMs === 0) return;
        await sleep(waitMs);
        break;
      }
      case 'wait':
        await condition(() => changes !== seen, step.ms);
        break;
      case 'begin':
        if (!(await database.beginCampaign({ campaignId }))) {
          await condition(() => changes !== seen, clockDifferenceMs);
        }
        break;
      case 'freeze':
        await database.freezeAudience({ campaignId });
        break;
      case 'send':
        if (view !== null) after = await send(campaignId, view, after, () => changes);
        break;
    }
  }
}

/** One round of sending. @returns the number of the last batch that was sent, 0 to begin from the first open one */
async function send(
  campaignId: string,
  view: CampaignView,
  after: number,
  changes: () => number,
): Promise<number> {
  const seen = changes();
  const open = await database.listOpenBatches({ campaignId, after, limit: batchesPerRun });
  const step = nextSendingStep(open, after);
  switch (step.do) {
    case 'finish':
      await database.finishCampaign({ campaignId });
      return 0;
    case 'settle': {
      const { queued, waitMs } = await database.settleCampaign({ campaignId });
      if (queued === 0 && waitMs > 0) await condition(() => changes() !== seen, waitMs);
      return 0;
    }
    case 'batches': {
      const isOver = await sendBatches(campaignId, view, step.batches, changes);
      const isLong = step.startsNewRun || workflowInfo().continueAsNewSuggested;
      if (isLong && !isOver) await continueAsNew<typeof campaign>({ campaignId, after: step.last });
      return step.last;
    }
  }
}

/**
 * Sends batches in lanes, each batch by a workflow of its own; a campaign that is cancelled meanwhile stops them.
 *
 * @returns whether it was cancelled
 */
async function sendBatches(
  campaignId: string,
  view: CampaignView,
  batches: readonly number[],
  changes: () => number,
): Promise<boolean> {
  const scope = new CancellationScope();
  let next = 0;
  let ended = 0;
  let running = laneCount;

  async function work(): Promise<void> {
    while (next < batches.length) {
      const batch = batches[next];
      next += 1;
      if (batch === undefined) break;
      try {
        await sendBatch({ campaignId, projectId: view.projectId, batch });
      } catch (error) {
        if (isCancellation(error)) throw error;
        // It stays open and comes again in the next round.
        log.warn('A batch failed', { batch, error });
        await sleep(failedBatchPauseMs);
      }
      ended += 1;
      setCurrentDetails(describeCampaign(view, { ended, ofBatches: batches.length }));
    }
  }

  async function lane(): Promise<void> {
    try {
      await scope.run(work);
    } catch (error) {
      if (!isCancellation(error)) throw error;
    } finally {
      running -= 1;
    }
  }

  const lanes = Promise.all(Array.from({ length: laneCount }, lane));
  lanes.catch(() => undefined);
  for (let isOver = false; ; ) {
    const seen = changes();
    await condition(() => running === 0 || (!isOver && changes() !== seen));
    if (running === 0) {
      await lanes;
      return isOver;
    }
    const now = await database.loadCampaign({ campaignId });
    isOver = now?.status !== 'SENDING';
    if (isOver) scope.cancel();
  }
}

function sendBatch(input: CampaignBatchInput): Promise<unknown> {
  const { campaignId, projectId, batch } = input;
  return executeChild(campaignBatchWorkflow, {
    workflowId: workflowIds.campaignBatch(campaignId, batch),
    args: [input],
    staticSummary: `Batch ${batch}`,
    typedSearchAttributes: [
      { key: { name: 'JobKind', type: 'KEYWORD' }, value: 'campaign-batch' },
      { key: { name: 'ProjectId', type: 'KEYWORD' }, value: projectId },
      { key: { name: 'CampaignId', type: 'KEYWORD' }, value: campaignId },
    ],
    priority: { priorityKey: priorities.campaign, fairnessKey: projectId },
  });
}
