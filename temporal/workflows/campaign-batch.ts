import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { CampaignBatchActivities, CampaignBatchInput } from '../contracts/campaign.ts';
import { fairness } from '../contracts/fairness.ts';
import { campaignTaskQueue } from '../contracts/task-queues.ts';
import { isHistoryLong } from './history-limits.ts';

/**
 * Sends a batch of a campaign in rounds until none of its emails is queued. The campaign's workflow settles emails in
 * doubt.
 */
export async function campaignBatch(input: CampaignBatchInput): Promise<{ sent: number; waiting: number }> {
  const { sendBatch } = proxyActivities<CampaignBatchActivities>({
    taskQueue: campaignTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '5 minutes',
    // Short, because no harm is done when a live round is taken for dead.
    heartbeatTimeout: '3 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    priority: fairness(input.projectId, 'campaign-batch'),
  });
  for (let sent = 0; ; ) {
    const result = await sendBatch(input);
    sent += result.sent;
    const retryInMs = Math.max(result.retryInMs, 50);
    setCurrentDetails(
      `**${sent}** sent in this run, **${result.queued}** queued, **${result.waiting}** in doubt` +
        (result.queued > 0 ? `; next try in ${Math.ceil(retryInMs / 1000)} s` : '') +
        (result.reason === undefined ? '' : `\n\n${result.reason}`),
    );
    if (result.queued === 0) return { sent, waiting: result.waiting };
    await sleep(retryInMs);
    if (isHistoryLong('campaignBatch')) await continueAsNew<typeof campaignBatch>(input);
  }
}
