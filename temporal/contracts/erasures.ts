export interface EventDeletionInput {
  deletionId: string;
}

export interface ProjectErasureInput {
  erasureId: string;
}

export interface ErasureSlice {
  /** About how long one call may take. Without it, as earlier versions of the workflows call it, it works to the end. */
  sliceMs?: number;
}

/** Short enough for all erasures to take turns, long enough to hide what each slice costs to begin. */
export const erasureSlice: ErasureSlice = { sliceMs: 20_000 };

export interface ErasureActivities {
  /**
   * Completes the deletion in Postgres in case the request died, then deletes the events in ClickHouse once none can
   * still be streamed there. Fails until then and while ClickHouse is down; idempotent.
   *
   * @returns whether another call has to continue
   */
  eraseEvents(input: EventDeletionInput & ErasureSlice): Promise<boolean>;
  closeEventDeletion(input: EventDeletionInput): Promise<void>;
  /**
   * Deletes a project's data in Postgres, ClickHouse and at the provider. Fails while one of them is down; idempotent.
   *
   * @returns whether another call has to continue
   */
  eraseProject(input: ProjectErasureInput & ErasureSlice): Promise<boolean>;
  closeProjectErasure(input: ProjectErasureInput): Promise<void>;
}

export const eventDeletionWorkflow = 'eventDeletion';
export const projectErasureWorkflow = 'projectErasure';
