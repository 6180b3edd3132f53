import { notFound } from '../../core/errors.ts';
import { bulkJobTypes, type JobType } from '../../core/jobs/job-states.ts';
import type { BulkOperation, BulkResult } from '../../core/jobs/results.ts';
import { Job } from '../../db/entities/job.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import type { Orm } from '../../db/orm.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { createImportIntake, type ImportForm } from './import-intake.ts';
import { type ImportPreview, previewImport, readImportFile } from './import-preview.ts';

/**
 * Methods that start a job return its id; the others throw DomainError `NOT_FOUND`, also for a job of another type.
 */
export interface ContactJobsService {
  /**
   * Stores the whole file, then queues its import.
   * @returns the job id
   * @throws DomainError `VALIDATION_ERROR` unless it is a CSV file with an `email` column
   */
  startImport(projectId: string, form: ImportForm): Promise<string>;
  /** What the import would do, without doing it. @throws DomainError as `startImport` */
  previewImport(projectId: string, form: ImportForm): Promise<ImportPreview>;
  startBulk(projectId: string, operation: BulkOperation, contactIds: readonly string[]): Promise<string>;
  getImport(projectId: string, jobId: string): Promise<Job>;
  getBulk(projectId: string, jobId: string): Promise<Job>;
}

export function createContactJobsService(
  orm: Orm,
  heavyReads: HeavyReads,
  committed: () => void,
): ContactJobsService {
  const takeIn = createImportIntake(orm);
  const get = (projectId: string, id: string, types: readonly JobType[]): Promise<Job> =>
    orm.em
      .fork()
      .findOneOrFail(Job, { id, projectId, type: { $in: types } }, { failHandler: () => notFound('Job') });
  return {
    async startImport(projectId, form) {
      const jobId = await takeIn(projectId, form);
      committed();
      return jobId;
    },

    async previewImport(projectId, form) {
      const file = await readImportFile(form);
      return heavyReads.run(projectId, () => previewImport(orm, projectId, file));
    },

    async startBulk(projectId, operation, contactIds) {
      const ids = [...new Set(contactIds)];
      const result: Partial<BulkResult> = { operation, totalRequested: ids.length };
      const em = orm.em.fork();
      const job = em.create(Job, { projectId, type: `bulk-${operation}`, result, contactIds: ids });
      em.create(OutboxCommand, { kind: 'contacts.bulk', subjectId: job.id, projectId });
      await em.flush();
      committed();
      return job.id;
    },

    getImport: (projectId, jobId) => get(projectId, jobId, ['import']),
    getBulk: (projectId, jobId) => get(projectId, jobId, bulkJobTypes),
  };
}
