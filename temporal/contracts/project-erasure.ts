export interface ProjectErasureInput {
  erasureId: string;
}

export interface ProjectErasureActivities {
  /**
   * Deletes a project's data in Postgres, ClickHouse and at the provider. Fails while one of them is down;
   * idempotent.
   */
  eraseProject(input: ProjectErasureInput): Promise<void>;
  closeProjectErasure(input: ProjectErasureInput): Promise<void>;
}

export const projectErasureWorkflow = 'projectErasure';
