import {
  ApplicationFailure,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { ExpiryActivities } from '../contracts/sweeps.ts';

const { listExpiries, sweepExpired } = proxyLocalActivities<ExpiryActivities>({
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 5 },
});

const expiry = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
} as const;
const { expire } = proxyActivities<ExpiryActivities>(expiry);

/**
 * Removes data past its retention. Each expiry is its own activity, so that a failure does not stop the others. An
 * activity lists the expiries, so that a new one needs no patch.
 *
 * @returns the number removed per expiry; `unfinished` counts expiries with more left for the next round
 * @throws ApplicationFailure for the failed expiries, after all others
 */
export async function expireAll(): Promise<Record<string, number>> {
  if (!patched('expiry-activities')) return sweepExpired();
  const counts: Record<string, number> = {};
  let unfinished = 0;
  const failed: string[] = [];
  for (const name of await listExpiries()) {
    setCurrentDetails(`Removes ${name}.`);
    try {
      const result = await expire.executeWithOptions({ ...expiry, summary: name }, [{ expiry: name }]);
      counts[name] = result.count;
      if (!result.isFinished) unfinished += 1;
    } catch (error) {
      if (isCancellation(error)) throw error;
      failed.push(name);
    }
  }
  if (failed.length > 0) throw ApplicationFailure.nonRetryable(`Failed: ${failed.join(', ')}`);
  return { ...counts, ...(unfinished > 0 && { unfinished }) };
}
