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
 * Removes what is past its retention. Each thing that expires is its own activity, so that one that fails does not
 * stop the others; the activities say which there are, so that a new one needs no patch.
 *
 * @returns what was removed by name; `unfinished` counts those that have more for the next round
 * @throws ApplicationFailure after all others, for those that failed
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
