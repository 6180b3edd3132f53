import type { ErasureSlice } from './erasure-slice.ts';

export interface ProjectErasureInput {
  erasureId: string;
}

export interface ProjectErasureActivities {
  /**
   * Deletes a project's data in Postgres, ClickHouse and at the provider. Fails while one of them is down; idempotent.
   *
   * @returns whether another call has to continue
   */
  eraseProject(input: ProjectErasureInput & ErasureSlice): Promise<boolean>;
  closeProjectErasure(input: ProjectErasureInput): Promise<void>;
}

export const projectErasureWorkflow = 'projectErasure';
