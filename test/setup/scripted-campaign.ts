import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { recipientsPerBatch } from '../../core/campaign-batches.ts';
import type {
  CampaignActivities,
  CampaignBatchActivities,
  CampaignView,
} from '../../temporal/contracts/campaign.ts';
import { historiesOf, type TimeSkipping } from './time-skipping.ts';

export interface ScriptedCampaign {
  view: CampaignView;
  /** Open batches; sent ones are removed. */
  open: number[];
  /** Number of sends per batch. */
  sent: Map<number, number>;
  looks: number;
  /** Every activity except reads, in order. */
  steps: string[];
  activities: CampaignActivities & CampaignBatchActivities;
}

export function scriptCampaign(
  view: Partial<CampaignView>,
  batches: number,
  replaced: Partial<CampaignActivities & CampaignBatchActivities> = {},
): ScriptedCampaign {
  const campaign: ScriptedCampaign = {
    view: {
      projectId: 'p',
      name: 'News',
      status: 'SENDING',
      dueAt: null,
      isFrozen: false,
      totalRecipients: batches * recipientsPerBatch,
      ...view,
    },
    open: [],
    sent: new Map(),
    looks: 0,
    steps: [],
    activities: {
      loadCampaign: async () => {
        campaign.looks += 1;
        return { ...campaign.view };
      },
      beginCampaign: async () => {
        campaign.steps.push('begin');
        campaign.view.status = 'SENDING';
        return true;
      },
      freezeAudience: async () => {
        campaign.steps.push('freeze');
        campaign.view.isFrozen = true;
        campaign.open = Array.from({ length: batches }, (_, index) => index + 1);
        return true;
      },
      listOpenBatches: async ({ after, limit }) => {
        const open = campaign.open.filter((number) => number > after);
        return { numbers: open.slice(0, limit), more: open.length > limit };
      },
      sendBatch: async ({ batch }) => {
        campaign.sent.set(batch, (campaign.sent.get(batch) ?? 0) + 1);
        campaign.open = campaign.open.filter((number) => number !== batch);
        return { sent: 500, queued: 0, retryInMs: 0, waiting: 0 };
      },
      settleCampaign: async () => {
        campaign.steps.push('settle');
        return { queued: 0, waitMs: 0 };
      },
      cancelRemaining: async () => {
        campaign.steps.push('cancel');
        return 0;
      },
      finishCampaign: async () => {
        campaign.steps.push('finish');
        campaign.view.status = 'SENT';
        return true;
      },
      ...replaced,
    },
  };
  return campaign;
}

/** @returns a history per workflow run */
export async function runCampaign(
  environment: TimeSkipping,
  campaign: ScriptedCampaign,
  during: (handle: WorkflowHandle) => Promise<void> = async () => undefined,
): Promise<History[]> {
  const campaignId = randomUUID();
  const { sendBatch, ...activities } = campaign.activities;
  return environment.perform(campaignId, { activities, batchActivities: { sendBatch } }, async () => {
    const workflowId = `campaign/${campaignId}`;
    const handle = await environment.client.workflow.start('campaign', {
      workflowId,
      taskQueue: environment.taskQueue,
      args: [{ campaignId, after: 0 }],
    });
    await during(handle);
    await handle.result();
    return historiesOf(environment, workflowId, handle.firstExecutionRunId);
  });
}
