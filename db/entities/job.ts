import { defineEntity, p } from '@mikro-orm/core';
import { type JobType, jobStates, openJobStates } from '../../core/jobs/job-states.ts';
import { createdAt, instant, primaryId } from './columns.ts';

const JobSchema = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  indexes: [{ name: 'jobs_created', properties: ['createdAt'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    type: p.text().$type<JobType>(),
    state: p.enum(jobStates).default('waiting'),
    /**
     * Cursor, moved in the transaction that applies the work: the last processed row of the file (the header is row 1),
     * or the number of contacts.
     */
    done: p.integer().default(0),
    progress: p.smallint().default(0),
    result: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    failedReason: p.text().nullable(),
    file: p.json().$type<Record<string, unknown>>().nullable(),
    contactIds: p.array().columnType('uuid[]').nullable(),
    createdAt: createdAt(),
    finishedAt: instant().nullable(),
  },
});

/** Work on many contacts that continues after the response. A Temporal workflow runs it in chunks. */
export class Job extends JobSchema.class {
  advance({ done, progress, result }: JobStep): void {
    this.state = 'active';
    this.done = done;
    this.progress = Math.max(this.progress, progress);
    this.result = result;
  }

  end(failedReason: string | undefined): void {
    this.state = failedReason === undefined ? 'completed' : 'failed';
    this.failedReason = failedReason ?? null;
    if (failedReason === undefined) this.progress = 100;
    this.finishedAt = new Date();
    this.file = null;
    this.contactIds = null;
  }
}
JobSchema.setClass(Job);

export type JobStep = Pick<Job, 'done' | 'progress' | 'result'>;

/** Filter for an unfinished job. @param done expected cursor; no match once another run has moved it */
export const openJob = (id: string, done?: number) => ({
  id,
  state: { $in: [...openJobStates] },
  ...(done !== undefined && { done }),
});

/**
 * Rejected rows of an import as lines of a CSV file, one record per transaction that rejected some. `position` is the
 * last row of the transaction; the header of the file has position 0.
 */
export const JobRejection = defineEntity({
  name: 'JobRejection',
  tableName: 'job_rejections',
  properties: {
    job: () => p.manyToOne(Job).primary().updateRule('no action').deleteRule('cascade'),
    position: p.integer().primary(),
    bytes: p.blob(),
  },
});

export const JobChunk = defineEntity({
  name: 'JobChunk',
  tableName: 'job_chunks',
  properties: { jobId: p.uuid().primary(), position: p.smallint().primary(), bytes: p.blob() },
});
