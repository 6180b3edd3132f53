import { z } from 'zod';
import { bulkResultSchema, importResultSchema } from '../../core/jobs/results.ts';
import type { JobStatus } from '../../db/repositories/jobs/jobs.ts';

const shape = {
  id: z.uuid(),
  state: z.enum(['waiting', 'active', 'completed', 'failed']),
  progress: z.number().int().min(0).max(100),
  failedReason: z.string().nullable().describe('Set when the state is `failed`.'),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
};
const resultNote = 'Null until the job has ended; of a job that failed, what it did before.';

export const importJobSchema = z.object({
  ...shape,
  type: z.literal('import'),
  result: importResultSchema.nullable().describe(resultNote),
});

export const bulkJobSchema = z.object({
  ...shape,
  type: z.enum(['bulk-subscribe', 'bulk-unsubscribe', 'bulk-delete']),
  result: bulkResultSchema.nullable().describe(resultNote),
});

/** An import as the API shows it. */
export function presentImportJob(job: JobStatus): z.output<typeof importJobSchema> {
  const result = job.finishedAt === null ? null : importResultSchema.parse(job.result);
  return { ...presentStatus(job), type: 'import', result };
}

/** A bulk operation as the API shows it. */
export function presentBulkJob(job: JobStatus): z.output<typeof bulkJobSchema> {
  const type = bulkJobSchema.shape.type.parse(job.type);
  const result = job.finishedAt === null ? null : bulkResultSchema.parse(job.result);
  return { ...presentStatus(job), type, result };
}

function presentStatus(job: JobStatus) {
  return {
    id: job.id,
    state: job.state,
    progress: job.progress,
    failedReason: job.failedReason ?? null,
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
  };
}
