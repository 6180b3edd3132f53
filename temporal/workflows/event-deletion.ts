import { continueAsNew, patched, proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import { erasureSlice } from '../contracts/erasure-slice.ts';
import type { EventDeletionActivities, EventDeletionInput } from '../contracts/event-deletion.ts';
import { erasureOptions, secondPassAfterMs, sliceOptions } from './erasure-options.ts';
import { isHistoryLong } from './history-limits.ts';

const { eraseEvents: eraseWhole, closeEventDeletion } =
  proxyActivities<EventDeletionActivities>(erasureOptions);

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
  const { eraseEvents } = proxyActivities<EventDeletionActivities>(sliceOptions());
  while (await eraseEvents({ ...input, ...erasureSlice })) {
    if (isHistoryLong()) await continueAsNew<typeof eventDeletion>(input);
  }
}
