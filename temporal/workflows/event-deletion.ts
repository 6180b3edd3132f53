import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { EventDeletionActivities, EventDeletionInput } from '../contracts/event-deletion.ts';

const { eraseEvents, closeEventDeletion } = proxyActivities<EventDeletionActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Longer than any insert into ClickHouse can be under way. */
const secondLookAfterMs = 5 * 60 * 1000;

/**
 * Takes the events of a name out of ClickHouse after they were deleted in Postgres, however long ClickHouse is away.
 * The second look is for a reader of the journal that was cut off from Postgres in the middle of an insert: another
 * one has taken over by then, and still what it had in its hands may arrive.
 */
export async function eventDeletion(input: EventDeletionInput): Promise<void> {
  setCurrentDetails('Waits until ClickHouse has what came before the deletion, and deletes there.');
  await eraseEvents(input);
  setCurrentDetails('Gone everywhere. A second look follows, for an insert that was under way meanwhile.');
  await sleep(secondLookAfterMs);
  await eraseEvents(input);
  await closeEventDeletion(input);
  setCurrentDetails('Gone everywhere.');
}
