import type { ErasureSlice } from './erasure-slice.ts';

export interface EventDeletionInput {
  deletionId: string;
}

export interface EventDeletionActivities {
  /**
   * Completes the deletion in Postgres in case the request died, then deletes the events in ClickHouse once none can
   * still be streamed there. Fails until then and while ClickHouse is down; idempotent.
   *
   * @returns whether another call has to continue
   */
  eraseEvents(input: EventDeletionInput & ErasureSlice): Promise<boolean>;
  closeEventDeletion(input: EventDeletionInput): Promise<void>;
}

export const eventDeletionWorkflow = 'eventDeletion';
