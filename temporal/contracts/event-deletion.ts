/** Input of the workflow `eventDeletion`. */
export interface EventDeletionInput {
  deletionId: string;
}

export interface EventDeletionActivities {
  /**
   * Finishes the deletion in Postgres, should the call have died, and deletes the events in ClickHouse as soon as
   * none of them can be on its way there. Fails while that is not so, or while ClickHouse is away; idempotent.
   */
  eraseEvents(input: EventDeletionInput): Promise<void>;
  /** Forgets the deletion; idempotent. */
  closeEventDeletion(input: EventDeletionInput): Promise<void>;
}

export const eventDeletionWorkflow = 'eventDeletion';
