import type { BulkOperation } from './results.ts';

export const jobStates = ['waiting', 'active', 'completed', 'failed'] as const;
export const openJobStates = ['waiting', 'active'] as const satisfies (typeof jobStates)[number][];

export const bulkJobTypes = [
  'bulk-subscribe',
  'bulk-unsubscribe',
  'bulk-delete',
] as const satisfies `bulk-${BulkOperation}`[];

export type JobType = 'import' | (typeof bulkJobTypes)[number];
