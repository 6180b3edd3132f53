import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Shutdown } from '../../runtime/shutdown.ts';
import type { ProcessResources } from '../client/open-temporal.ts';
import { ensureSchedules } from '../client/schedules.ts';
import { openActivityDependencies, type WorkerParts } from './activity-dependencies.ts';
import type { CampaignThread } from './campaign-thread/campaign-thread.ts';
import { createActivities, createCampaignBatchActivities } from './create-activities.ts';
import { startWorkers } from './start-workers.ts';

const firstRetryMs = 500;
const longestRetryMs = 10_000;

/**
 * Starts the workers of this process and registers them for shutdown. Retries while Temporal is down, so processes can
 * start in any order.
 */
export async function startProcessWorkers(
  resources: ProcessResources,
  parts: WorkerParts,
  campaigns: CampaignThread,
  shutdown: Shutdown,
) {
  const { config, log } = resources;
  campaigns.reportTo((outcomes) => {
    for (const [outcome, emails] of Object.entries(outcomes)) parts.metrics.countHandOver(outcome, emails);
    parts.wakeJournal();
  });
  const dependencies = openActivityDependencies(resources, parts, campaigns, shutdown);
  const { emails } = dependencies;
  const activities = createActivities(dependencies);
  const campaignActivities = createCampaignBatchActivities(campaigns.send);

  const stopping = new AbortController();
  const persist = <Result>(work: () => Promise<Result>) => whileTemporalIsDown(work, stopping.signal, log);
  const starting = persist(() => startWorkers(resources, activities, campaignActivities));
  const stop = async () => {
    stopping.abort();
    resources.relay.useFirstTry(undefined);
    // Workers that come up meanwhile would take tasks that nobody completes.
    const stopped = starting.then(
      (running) => running.stop(),
      () => undefined,
    );
    await Promise.all([stopped, emails.stop()]);
  };
  shutdown.add('worker', stop, config.SHUTDOWN_GRACE_SECONDS * 1000);
  shutdown.add('head start', async () => campaigns.endHeadStart());

  // Before Temporal answers: most emails do not need it.
  resources.relay.useFirstTry({ run: emails.tryFirst, onCommit: parts.wakeJournal });
  // A broken thread ends the process, even while Temporal is down.
  const running = await Promise.race([starting, campaigns.ended.then(() => starting)]);
  // After the workers and not awaited: dozens of calls for work that is due in seconds at the earliest.
  persist(() => ensureSchedules(resources.temporal, config.TEMPORAL_TASK_QUEUE, config)).catch(
    () => undefined,
  );
  // A worker without its thread would look alive but send no campaigns.
  const ended = Promise.race([running.ended, campaigns.ended]);
  ended.catch(() => undefined);
  campaigns.lowerPriority();
  // The thread loads more slowly than the workers, and the first campaign should not wait for it.
  await campaigns.up;
  return { ...running, ended };
}

async function whileTemporalIsDown<Result>(
  work: () => Promise<Result>,
  stopping: AbortSignal,
  log: Logger,
): Promise<Result> {
  for (let pause = firstRetryMs; ; pause = Math.min(pause * 2, longestRetryMs)) {
    try {
      return await work();
    } catch (err) {
      if (stopping.aborted) throw err;
      log.warn({ err }, 'Temporal does not answer; retrying');
      await delay(pause, undefined, { signal: stopping });
    }
  }
}
