import type { JobKind } from './search-attributes.ts';

/**
 * Tasks with the same key are served in order, and keys take turns. All tasks have the same priority: the server serves
 * lower priorities only while no higher one waits, so executions of one project could stop the campaigns, imports and
 * sweeps of all.
 */
export const fairness = (projectId: string | null, kind: JobKind) =>
  projectId === null ? {} : { fairnessKey: `${projectId}/${kind}` };
