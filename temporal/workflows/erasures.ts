import {
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ErasureActivities,
  type ErasureSlice,
  type EventDeletionInput,
  erasureSlice,
  type ProjectErasureInput,
} from '../contracts/erasures.ts';
import { erasureTaskQueue } from '../contracts/task-queues.ts';
import { isHistoryLong } from './history-limits.ts';

/** Allows for a whole erasure, as executions from before the slices ask for it. */
const options = {
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
const whole = proxyActivities<ErasureActivities>(options);

const secondPassAfterMs = 5 * 60 * 1000;

/**
 * Deletes the events of a name in ClickHouse after Postgres. Retries without limit while ClickHouse is down. The second
 * pass covers a journal streamer that lost Postgres during an insert: its insert may still arrive after another
 * streamer has taken over.
 */
export async function eventDeletion(input: EventDeletionInput): Promise<void> {
  await eraseTwice(input, (activities) => activities.eraseEvents, {
    first: 'Waits until ClickHouse has everything before the deletion, then deletes it there.',
    second: 'Deleted everywhere. A second pass follows, for an insert that was in progress.',
  });
  await whole.closeEventDeletion(input);
  setCurrentDetails('Gone everywhere.');
}

export async function projectErasure(input: ProjectErasureInput): Promise<void> {
  await eraseTwice(input, (activities) => activities.eraseProject, {
    first: 'Deletes in Postgres, in ClickHouse and at the provider.',
    second: 'Erased everywhere. A second pass follows, for writes that were in progress.',
  });
  await whole.closeProjectErasure(input);
  setCurrentDetails('Gone everywhere.');
}

async function eraseTwice<Input extends object>(
  input: Input,
  activityOf: (activities: ErasureActivities) => (input: Input & ErasureSlice) => Promise<boolean>,
  details: { first: string; second: string },
): Promise<void> {
  const inSlices = patched('erasure-slices');
  const taskQueue = erasureTaskQueue(workflowInfo().taskQueue);
  const erase = activityOf(inSlices ? proxyActivities<ErasureActivities>({ ...options, taskQueue }) : whole);
  const pass = async () => {
    while (await erase({ ...input, ...(inSlices && erasureSlice) })) {
      if (isHistoryLong()) await continueAsNew(input);
    }
  };
  setCurrentDetails(details.first);
  await pass();
  setCurrentDetails(details.second);
  await sleep(secondPassAfterMs);
  await pass();
}
