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
} from '@temporalio/workflow';
import {
  type CampaignActivities,
  type CampaignBatchInput,
  type CampaignInput,
  type CampaignView,
  campaignBatchWorkflow,
  campaignChangedSignal,
} from '../contracts/campaign.ts';
import { fairness } from '../contracts/fairness.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { workflowIds } from '../contracts/workflow-ids.ts';
import {
  batchesAtOnce,
  batchesPerRun,
  describeCampaign,
  nextSendingStep,
  nextStep,
} from './campaign.plan.ts';
import { isHistoryLong } from './history-limits.ts';

const database = proxyLocalActivities<CampaignActivities>({
  startToCloseTimeout: '1 minute',
  // Longer delays become timers, so that no worker holds a task open.
  localRetryThreshold: '1 second',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const changed = defineSignal(campaignChangedSignal);
/** `beginCampaign` decides whether a campaign is due by the clock of its own process, which may be behind this one. */
const clockDifferenceMs = 1_000;
const failedBatchPauseMs = 10_000;

/**
 * Runs a campaign: waits for its time, freezes its audience, sends batches in parallel, and settles emails in doubt.
 * All state is in the campaign's row; the signal only triggers a reload, so a lost workflow can be replaced by starting
 * it again.
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
    if (view !== null) setCurrentDetails(describeCampaign(view));
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

/** @returns the last batch sent; 0 to continue from the first unfinished one */
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
      const isLong = step.startsNewRun || isHistoryLong();
      if (isLong && !isOver) await continueAsNew<typeof campaign>({ campaignId, after: step.last });
      return step.last;
    }
  }
}

/**
 * Sends each batch as a child workflow, several at a time; stops them when the campaign is canceled.
 *
 * @returns whether it was canceled
 */
async function sendBatches(
  campaignId: string,
  view: CampaignView,
  batches: readonly number[],
  changes: () => number,
): Promise<boolean> {
  const scope = new CancellationScope();
  const queue = [...batches];
  let ended = 0;
  let running = batchesAtOnce;
  const showProgress = () => setCurrentDetails(describeCampaign(view, { ended, ofBatches: batches.length }));
  const noteEnd = () => {
    ended += 1;
    showProgress();
  };
  showProgress();

  async function sendInTurn(): Promise<void> {
    try {
      await scope.run(() => sendQueued(campaignId, view.projectId, queue, noteEnd));
    } catch (error) {
      if (!isCancellation(error)) throw error;
    } finally {
      running -= 1;
    }
  }

  const all = Promise.all(Array.from({ length: batchesAtOnce }, sendInTurn));
  all.catch(() => undefined);
  for (let isOver = false; ; ) {
    const seen = changes();
    await condition(() => running === 0 || (!isOver && changes() !== seen));
    if (running === 0) {
      await all;
      return isOver;
    }
    const now = await database.loadCampaign({ campaignId });
    isOver = now?.status !== 'SENDING';
    if (isOver) scope.cancel();
  }
}

async function sendQueued(
  campaignId: string,
  projectId: string,
  queue: number[],
  ended: () => void,
): Promise<void> {
  for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
    try {
      await sendBatch({ campaignId, projectId, batch });
    } catch (error) {
      if (isCancellation(error)) throw error;
      // The batch stays open, and the next round retries it.
      log.warn('A batch failed', { batch, error });
      await sleep(failedBatchPauseMs);
    }
    ended();
  }
}

function sendBatch(input: CampaignBatchInput): Promise<unknown> {
  const { campaignId, projectId, batch } = input;
  return executeChild(campaignBatchWorkflow, {
    workflowId: workflowIds.campaignBatch(campaignId, batch),
    args: [input],
    staticSummary: `Batch ${batch}`,
    typedSearchAttributes: searchAttributes({
      JobKind: 'campaign-batch',
      ProjectId: projectId,
      CampaignId: campaignId,
    }),
    priority: fairness(projectId, 'campaign-batch'),
  });
}
