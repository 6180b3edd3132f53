/** Lower values first; the server allows 1 to 5. */
export const priorities = {
  transactional: 1,
  workflow: 2,
  inbound: 2,
  domain: 3,
  snooze: 3,
  campaign: 4,
  import: 5,
  deletion: 5,
  sweep: 5,
} as const;

export const fairPriority = (priorityKey: number, projectId: string | null) =>
  projectId === null ? { priorityKey } : { priorityKey, fairnessKey: projectId };
