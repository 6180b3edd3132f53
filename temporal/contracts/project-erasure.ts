/** Input of the workflow `projectErasure`. */
export interface ProjectErasureInput {
  erasureId: string;
}

export interface ProjectErasureActivities {
  /**
   * Deletes the data of a project in Postgres, ClickHouse and at the provider. Fails while one of them is away;
   * idempotent.
   */
  eraseProject(input: ProjectErasureInput): Promise<void>;
  /** Forgets the erasure; idempotent. */
  closeProjectErasure(input: ProjectErasureInput): Promise<void>;
}

export const projectErasureWorkflow = 'projectErasure';
