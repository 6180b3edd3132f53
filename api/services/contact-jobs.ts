import { orNotFound } from '../../core/errors.ts';
import { bulkJobTypes, type JobType } from '../../core/jobs/job-states.ts';
import type { BulkOperation, BulkResult } from '../../core/jobs/results.ts';
import { Job } from '../../db/entities/job.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import { type ImportForm, takeInImport } from './import-intake.ts';
import { previewImport, readImportFile } from './import-preview.ts';
import type { ProjectSlots } from './project-slots.ts';

/** Methods that start a job return its id; the others throw DomainError `NOT_FOUND`, also for a job of another type. */
export function createContactJobsService(orm: Orm, heavyReads: ProjectSlots, committed: () => void) {
  const get = async (projectId: string, id: string, types: readonly JobType[]) =>
    orNotFound(await projectEm(orm, projectId).findOne(Job, { id, type: { $in: types } }), 'Job');
  return {
    /**
     * Stores the whole file, then queues its import.
     * @returns the job id
     * @throws DomainError `VALIDATION_ERROR` unless it is a CSV file with an `email` column
     */
    async startImport(projectId: string, form: ImportForm) {
      const jobId = await takeInImport(orm, projectId, form);
      committed();
      return jobId;
    },

    /** Reports what the import would do, without doing it. @throws DomainError as `startImport` */
    async previewImport(projectId: string, form: ImportForm) {
      const file = await readImportFile(form);
      return heavyReads.run(projectId, () => previewImport(orm, projectId, file));
    },

    async startBulk(projectId: string, operation: BulkOperation, contactIds: readonly string[]) {
      const ids = [...new Set(contactIds)];
      const result: Partial<BulkResult> = { operation, totalRequested: ids.length };
      const em = projectEm(orm, projectId);
      const job = em.create(Job, { projectId, type: `bulk-${operation}`, result, contactIds: ids });
      em.create(OutboxCommand, { kind: 'contacts.bulk', subjectId: job.id, projectId });
      await em.flush();
      committed();
      return job.id;
    },

    getImport: (projectId: string, jobId: string) => get(projectId, jobId, ['import']),
    getBulk: (projectId: string, jobId: string) => get(projectId, jobId, bulkJobTypes),
  };
}
