import { isCancellation, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { InboundEmailActivities, InboundEmailInput } from '../contracts/inbound-email.ts';
import { inboundTaskQueue } from '../contracts/task-queues.ts';

const { giveUpInboundEmail } = proxyActivities<InboundEmailActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/**
 * Parses a received email. Retries while the bucket is unavailable; after three days the email is recorded without
 * content.
 */
export async function inboundEmail(input: InboundEmailInput): Promise<void> {
  const { receiveInboundEmail } = proxyActivities<InboundEmailActivities>({
    taskQueue: inboundTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '20 seconds',
    // Leaves time to repair a permission or a bucket.
    scheduleToCloseTimeout: '3 days',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  });
  try {
    await receiveInboundEmail(input);
    setCurrentDetails('The email was read.');
  } catch (error) {
    if (isCancellation(error)) throw error;
    await giveUpInboundEmail(input);
    setCurrentDetails('The email could not be fetched and is kept without its content.');
  }
}
