import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { EmailBatchActivities, EmailBatchInput } from '../contracts/email-batch.ts';

const { dispatchEmails } = proxyActivities<EmailBatchActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Sees up to 100 transactional emails through to their outcome: hands over what it can, and comes back for what
 * was throttled, could not be reached or stayed unanswered. Which of these holds is decided in the database; the
 * workflow only keeps the time.
 */
export async function emailBatch(input: EmailBatchInput): Promise<{ sent: number; ended: number }> {
  let open = input.emailIds;
  const total = { sent: 0, ended: 0 };
  for (let round = input.round; open.length > 0; round += 1) {
    const result = await dispatchEmails({ emailIds: open });
    open = result.openIds;
    total.sent += result.sent;
    total.ended += result.ended;
    setCurrentDetails(
      `**${total.sent}** sent, **${total.ended}** ended without leaving, **${open.length}** open` +
        (open.length > 0
          ? `; next look in ${Math.ceil(result.retryInMs / 1000)} s (round ${round + 1})`
          : ''),
    );
    if (open.length === 0) break;
    await sleep(result.retryInMs);
    if (workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > 5_000) {
      await continueAsNew<typeof emailBatch>({ emailIds: open, round: round + 1 });
    }
  }
  return total;
}
