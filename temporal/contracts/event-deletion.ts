export interface EventDeletionInput {
  deletionId: string;
}

export interface EventDeletionActivities {
  /**
   * Completes the deletion in Postgres in case the request died, then deletes the events in ClickHouse once none can
   * still be streamed there. Fails until then and while ClickHouse is down; idempotent.
   */
  eraseEvents(input: EventDeletionInput): Promise<void>;
  closeEventDeletion(input: EventDeletionInput): Promise<void>;
}

export const eventDeletionWorkflow = 'eventDeletion';
