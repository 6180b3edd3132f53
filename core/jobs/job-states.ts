import { bulkOperations } from './results.ts';

export const jobStates = ['waiting', 'active', 'completed', 'failed'] as const;
export const openJobStates = ['waiting', 'active'] as const satisfies (typeof jobStates)[number][];

export const bulkJobTypes = bulkOperations.map((operation) => `bulk-${operation}` as const);

export type JobType = 'import' | (typeof bulkJobTypes)[number];
