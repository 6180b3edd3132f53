import {
  createRejectionWriter,
  maxRejectedRows,
  rejectionsMissing,
} from '../../core/contact-import/rejected-rows.ts';
import { orNotFound } from '../../core/errors.ts';
import { bulkJobTypes, type JobType } from '../../core/jobs/job-states.ts';
import { type BulkOperation, type BulkResult, importResultSchema } from '../../core/jobs/results.ts';
import { Job, JobRejection } from '../../db/entities/job.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { type ImportForm, takeInImport } from './import-intake.ts';
import { previewImport, readImportFile } from './import-preview.ts';
import type { ProjectPlaces } from './project-places.ts';

/** Methods that start a job return its id; the others throw DomainError `NOT_FOUND`, also for a job of another type. */
export function createContactJobsService(orm: Orm, heavyReads: ProjectPlaces, committed: () => void) {
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

    /** The rows that an import has rejected so far, as the pieces of a CSV file. */
    async readRejections(projectId: string, jobId: string) {
      const job = await get(projectId, jobId, ['import']);
      return rejectionsOf(orm.em.fork(), job);
    },
  };
}

async function* rejectionsOf(em: Em, job: Job): AsyncGenerator<Uint8Array | string> {
  const { skipped, errors } = importResultSchema.parse(job.result);
  let last = -1;
  for (;;) {
    const where = { job: job.id, position: { $gt: last, $lte: job.done } };
    const piece = await em.findOne(JobRejection, where, {
      orderBy: { position: 'asc' },
      disableIdentityMap: true,
    });
    if (piece === null) break;
    yield piece.bytes;
    last = piece.position;
  }
  if (last === -1) {
    // An import by a version that kept only the addresses, or one without rejected rows.
    const writer = createRejectionWriter(['email'], ',');
    yield writer.header;
    for (const error of errors) yield writer.row({ ...error, ok: false, cells: [error.email] });
  }
  const kept = last === -1 ? errors.length : maxRejectedRows;
  if (skipped > kept) yield rejectionsMissing(skipped - kept);
}
