import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { EventDeletionActivities, EventDeletionInput } from '../contracts/event-deletion.ts';

const { eraseEvents, closeEventDeletion } = proxyActivities<EventDeletionActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

const secondPassAfterMs = 5 * 60 * 1000;

/**
 * Deletes the events of a name in ClickHouse after Postgres. Retries without limit while ClickHouse is down. The second
 * pass covers a journal streamer that lost Postgres during an insert: its insert may still arrive after another
 * streamer has taken over.
 */
export async function eventDeletion(input: EventDeletionInput): Promise<void> {
  setCurrentDetails('Waits until ClickHouse has everything before the deletion, then deletes it there.');
  await eraseEvents(input);
  setCurrentDetails('Deleted everywhere. A second pass follows, for an insert that was in progress.');
  await sleep(secondPassAfterMs);
  await eraseEvents(input);
  await closeEventDeletion(input);
  setCurrentDetails('Gone everywhere.');
}
