import {
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { erasureSlice } from '../contracts/erasure-slice.ts';
import type { EventDeletionActivities, EventDeletionInput } from '../contracts/event-deletion.ts';
import { erasureTaskQueue } from '../contracts/task-queues.ts';
import { isHistoryLong } from './history-limits.ts';

const options = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
const { eraseEvents: eraseWhole, closeEventDeletion } = proxyActivities<EventDeletionActivities>(options);

const secondPassAfterMs = 5 * 60 * 1000;

/**
 * Deletes the events of a name in ClickHouse after Postgres. Retries without limit while ClickHouse is down. The second
 * pass covers a journal streamer that lost Postgres during an insert: its insert may still arrive after another
 * streamer has taken over.
 */
export async function eventDeletion(input: EventDeletionInput): Promise<void> {
  const inSlices = patched('erasure-slices');
  setCurrentDetails('Waits until ClickHouse has everything before the deletion, then deletes it there.');
  await erase(input, inSlices);
  setCurrentDetails('Deleted everywhere. A second pass follows, for an insert that was in progress.');
  await sleep(secondPassAfterMs);
  await erase(input, inSlices);
  await closeEventDeletion(input);
  setCurrentDetails('Gone everywhere.');
}

async function erase(input: EventDeletionInput, inSlices: boolean): Promise<void> {
  if (!inSlices) {
    await eraseWhole(input);
    return;
  }
  const taskQueue = erasureTaskQueue(workflowInfo().taskQueue);
  const { eraseEvents } = proxyActivities<EventDeletionActivities>({ ...options, taskQueue });
  while (await eraseEvents({ ...input, ...erasureSlice })) {
    if (isHistoryLong()) await continueAsNew<typeof eventDeletion>(input);
  }
}
