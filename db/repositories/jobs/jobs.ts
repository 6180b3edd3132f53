import type { JobRow, JobType } from '../../entities/job.ts';
import type { OutboxKind } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A job as its status shows it. */
export type JobStatus = Pick<
  JobRow,
  'id' | 'type' | 'state' | 'progress' | 'result' | 'failedReason' | 'createdAt' | 'finishedAt'
>;

/** A job that is not over, as its worker needs it. */
export type OpenJob = Pick<
  JobRow,
  'id' | 'projectId' | 'type' | 'done' | 'progress' | 'result' | 'file' | 'contactIds'
>;

export interface NewJob {
  id: string;
  projectId: string;
  type: JobType;
  result: Record<string, unknown>;
  /** Of an import. */
  file?: Record<string, unknown>;
  /** Of a bulk operation. */
  contactIds?: readonly string[];
}

/** Adds a job that waits, and the command to begin with it. */
export async function insertJob(
  em: Em,
  job: NewJob,
  command: { id: string; kind: OutboxKind },
): Promise<void> {
  await sql(
    em,
    `with job as (
       insert into jobs (id, project_id, type, result, file, contact_ids)
       values ($1, $2, $3, $4, $5, $6)
       returning id, project_id
     )
     insert into outbox (id, kind, subject_id, project_id) select $7, $8, id, project_id from job`,
    [
      job.id,
      job.projectId,
      job.type,
      JSON.stringify(job.result),
      job.file === undefined ? null : JSON.stringify(job.file),
      job.contactIds ?? null,
      command.id,
      command.kind,
    ],
  );
}

/** A job of the project, if it is of one of the types. */
export async function findJob(
  em: Em,
  projectId: string,
  id: string,
  types: readonly JobType[],
): Promise<JobStatus | undefined> {
  const [row] = await sql<JobStatus>(
    em,
    `select id, type, state, progress, result, failed_reason as "failedReason", created_at as "createdAt",
       finished_at as "finishedAt"
     from jobs where id = $1 and project_id = $2 and type = any($3::text[])`,
    [id, projectId, types],
  );
  return row;
}

/** A job that waits or is active; undefined when it is over or gone. */
export async function findOpenJob(em: Em, id: string): Promise<OpenJob | undefined> {
  const [row] = await sql<OpenJob>(
    em,
    `select id, project_id as "projectId", type, done, progress, result, file, contact_ids as "contactIds"
     from jobs where id = $1 and state in ('waiting', 'active')`,
    [id],
  );
  return row;
}

/**
 * Takes the job for this transaction, first thing in the transaction that applies a part of it.
 * @returns whether the job is open and its cursor at `done`: otherwise someone else has gone on with it
 */
export async function lockJob(em: Em, id: string, done: number): Promise<boolean> {
  const rows = await sql(
    em,
    `select 1 from jobs where id = $1 and done = $2 and state in ('waiting', 'active') for no key update`,
    [id, done],
  );
  return rows.length > 0;
}

export interface JobStep {
  done: number;
  progress: number;
  result: Record<string, unknown>;
}

/** Moves the cursor of a job that this transaction has locked. */
export async function advanceJob(em: Em, id: string, step: JobStep): Promise<void> {
  await sql(
    em,
    `update jobs
     set state = 'active', done = $2, progress = greatest(progress, $3::smallint), result = $4
     where id = $1`,
    [id, step.done, step.progress, JSON.stringify(step.result)],
  );
}

/**
 * Ends a job, and drops what it worked on. A job that is over, or whose cursor is elsewhere, stays as it is.
 * @param failedReason undefined when it is completed
 * @returns whether it was ended by this call
 */
export async function endJob(em: Em, id: string, done: number, failedReason?: string): Promise<boolean> {
  const rows = await sql(
    em,
    `with ended as (
       update jobs
       set state = case when $3::text is null then 'completed' else 'failed' end, failed_reason = $3,
         progress = case when $3 is null then 100 else progress end, finished_at = now(), file = null,
         contact_ids = null
       where id = $1 and done = $2 and state in ('waiting', 'active')
       returning id
     ),
     emptied as (
       delete from job_chunks where job_id in (select id from ended)
     )
     select id from ended`,
    [id, done, failedReason ?? null],
  );
  return rows.length > 0;
}
