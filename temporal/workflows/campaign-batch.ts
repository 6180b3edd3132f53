import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import {
  type CampaignBatchActivities,
  type CampaignBatchInput,
  campaignTaskQueue,
} from '../contracts/campaign.ts';
import { priorities } from '../contracts/operations.ts';

/**
 * Sends a batch of a campaign: rounds until nothing of it is queued. What is in doubt then is the campaign's to
 * settle.
 */
export async function campaignBatch(input: CampaignBatchInput): Promise<{ sent: number; waiting: number }> {
  const { sendBatch } = proxyActivities<CampaignBatchActivities>({
    taskQueue: campaignTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '5 minutes',
    // A round that is taken for dead though it lives does no harm, so a dead one need not be waited for.
    heartbeatTimeout: '3 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    priority: { priorityKey: priorities.campaign, fairnessKey: input.projectId },
  });
  for (let sent = 0; ; ) {
    const result = await sendBatch(input);
    sent += result.sent;
    setCurrentDetails(
      `**${sent}** sent in this run, **${result.queued}** queued, **${result.waiting}** in doubt`,
    );
    if (result.queued === 0) return { sent, waiting: result.waiting };
    await sleep(Math.max(result.retryInMs, 50));
    if (workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > 5_000) {
      await continueAsNew<typeof campaignBatch>(input);
    }
  }
}
