import {
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type {
  DispatchEmailsResult,
  EmailBatchActivities,
  EmailBatchInput,
} from '../contracts/email-batch.ts';
import { isHistoryLong } from './history-limits.ts';

const { dispatchEmails } = proxyActivities<EmailBatchActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

const local = proxyLocalActivities<EmailBatchActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

/** For runs from before the relay had a first try. */
async function firstTry(emailIds: string[]): Promise<DispatchEmailsResult> {
  try {
    return await local.dispatchEmails({ emailIds });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return dispatchEmails({ emailIds });
  }
}

/**
 * Completes up to 50 transactional emails left open by a first try: hands them over, and retries throttled or
 * unanswered ones. The database decides which emails are open; the workflow only schedules the retries.
 */
export async function emailBatch(input: EmailBatchInput): Promise<{ sent: number; ended: number }> {
  let open = input.emailIds;
  const total = { sent: 0, ended: 0 };
  let reason = '';
  for (let round = input.round; open.length > 0; round += 1) {
    const isFirst = input.triesLocally === true && round === input.round;
    const result = await (isFirst ? firstTry(open) : dispatchEmails({ emailIds: open }));
    open = result.openIds;
    total.sent += result.sent;
    total.ended += result.ended;
    reason = result.reason ?? reason;
    setCurrentDetails(
      `**${total.sent}** sent, **${total.ended}** ended without leaving, **${open.length}** open` +
        (open.length > 0
          ? `; next try in ${Math.ceil(result.retryInMs / 1000)} s (round ${round + 1})\n\n${reason}`
          : ''),
    );
    if (open.length === 0) break;
    await sleep(result.retryInMs);
    if (isHistoryLong('emailBatch')) {
      await continueAsNew<typeof emailBatch>({ emailIds: open, round: round + 1 });
    }
  }
  return total;
}
