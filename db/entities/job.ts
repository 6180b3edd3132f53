import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';

export type JobType = 'import' | 'bulk-subscribe' | 'bulk-unsubscribe' | 'bulk-delete';
export type JobState = 'waiting' | 'active' | 'completed' | 'failed';

/** Work on many contacts that goes on after the answer; a workflow runs it batch by batch. */
export const Job = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  indexes: [{ name: 'jobs_created', properties: ['createdAt'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    type: p.text().$type<JobType>(),
    state: p
      .text()
      .$type<JobState>()
      .default('waiting')
      .check(`state in ('waiting', 'active', 'completed', 'failed')`),
    /**
     * The cursor, moved in the transaction that applies the work: the last row of the file that is done (its header
     * is row 1), or the number of contacts.
     */
    done: p.integer().default(0),
    /** 0 to 100; never falls. */
    progress: p.smallint().default(0),
    /** What came out so far, kept in step with `done`. */
    result: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    failedReason: p.text().nullable(),
    /** Of an import: how its file is to be read. */
    file: p.json().$type<Record<string, unknown>>().nullable(),
    /** Of a bulk operation. */
    contactIds: p.array().columnType('uuid[]').nullable(),
    createdAt: createdAt(),
    finishedAt: instant().nullable(),
  },
});

export type JobRow = InferEntity<typeof Job>;

/** The uploaded file of an import, in order; deleted when the job has ended. */
export const JobChunk = defineEntity({
  name: 'JobChunk',
  tableName: 'job_chunks',
  properties: {
    jobId: p.uuid().primary(),
    position: p.smallint().primary(),
    bytes: p.blob(),
  },
});
