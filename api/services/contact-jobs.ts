import { notFound } from '../../core/errors.ts';
import type { BulkOperation, BulkResult } from '../../core/jobs/results.ts';
import { newId } from '../../core/new-id.ts';
import type { JobType } from '../../db/entities/job.ts';
import type { Orm } from '../../db/orm.ts';
import { findJob, insertJob, type JobStatus } from '../../db/repositories/jobs/jobs.ts';
import { createImportIntake } from './import-intake.ts';

export interface ContactJobsService {
  /**
   * Takes in a file and queues its import; the whole file is stored when this answers.
   * @returns id of the job
   * @throws DomainError `VALIDATION_ERROR` when it is no CSV file with a column `email`
   */
  startImport(projectId: string, bytes: AsyncIterable<Uint8Array>): Promise<string>;
  /** Queues a bulk operation; an id that is repeated counts once. Answers the id of the job. */
  startBulk(projectId: string, operation: BulkOperation, contactIds: readonly string[]): Promise<string>;
  /** @throws DomainError `NOT_FOUND`, also for another kind of job */
  getImport(projectId: string, jobId: string): Promise<JobStatus>;
  /** @throws DomainError `NOT_FOUND`, also for another kind of job */
  getBulk(projectId: string, jobId: string): Promise<JobStatus>;
}

const bulkTypes: Record<BulkOperation, JobType> = {
  subscribe: 'bulk-subscribe',
  unsubscribe: 'bulk-unsubscribe',
  delete: 'bulk-delete',
};

/** Work on many contacts, done by a workflow after the answer. */
export function createContactJobsService(orm: Orm, committed: () => void): ContactJobsService {
  const takeIn = createImportIntake(orm);
  const get = async (projectId: string, jobId: string, types: readonly JobType[]) => {
    const job = await findJob(orm.em.fork(), projectId, jobId, types);
    if (job === undefined) throw notFound('Job');
    return job;
  };
  return {
    async startImport(projectId, bytes) {
      const jobId = await takeIn(projectId, bytes);
      committed();
      return jobId;
    },

    async startBulk(projectId, operation, contactIds) {
      const ids = [...new Set(contactIds)];
      const result: Partial<BulkResult> = { operation, totalRequested: ids.length };
      const job = { id: newId(), projectId, type: bulkTypes[operation], result, contactIds: ids };
      await insertJob(orm.em.fork(), job, { id: newId(), kind: 'contacts.bulk' });
      committed();
      return job.id;
    },

    getImport: (projectId, jobId) => get(projectId, jobId, ['import']),
    getBulk: (projectId, jobId) => get(projectId, jobId, Object.values(bulkTypes)),
  };
}
