import type { z } from 'zod';
import { bulkResultSchema, importResultSchema, maxImportErrors } from '../../core/jobs/results.ts';
import type { Job } from '../../db/entities/job.ts';
import {
  bulkJobSchema,
  type importJobSchema,
  type importPreviewSchema,
  jobStatusSchema,
} from '../schemas/jobs.ts';
import type { ImportPreview } from '../services/import-preview.ts';
import { present } from './present.ts';

export function presentImportJob(job: Job): z.output<typeof importJobSchema> {
  if (!job.finishedAt) return { ...presentStatus(job), type: 'import', result: null };
  const { errors, ...counts } = importResultSchema.parse(job.result);
  const result = { ...counts, errors: errors.slice(0, maxImportErrors) };
  return { ...presentStatus(job), type: 'import', result };
}

export function presentImportPreview(preview: ImportPreview): z.output<typeof importPreviewSchema> {
  const errors = preview.errors.map(({ row, email, message }) => ({ row, email, message }));
  const rows = preview.preview.map(({ row, email, subscribed, data }) => {
    return { row, email, subscribed: subscribed ?? null, data };
  });
  return { ...preview, errors, preview: rows };
}

export function presentBulkJob(job: Job): z.output<typeof bulkJobSchema> {
  const type = bulkJobSchema.shape.type.parse(job.type);
  const result = !job.finishedAt ? null : bulkResultSchema.parse(job.result);
  return { ...presentStatus(job), type, result };
}

const presentStatus = (job: Job) => present(jobStatusSchema, job);
