import { z } from 'zod';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Em } from '../../db/orm.ts';
import {
  advanceJob,
  endJob,
  findOpenJob,
  type JobStep,
  lockJob,
  type OpenJob,
} from '../../db/repositories/jobs/jobs.ts';
import type { ContactJobProgress } from '../../temporal/contracts/contact-jobs.ts';

export interface JobContext {
  em: Em;
  /** Aborted when the run has to stop; what is applied by then stays. */
  signal: AbortSignal;
  /** Told of the progress after each part. */
  note: (progress: { done: number; progress: number }) => void;
  /** Called after commits that left rows for the journal's reader. */
  committed: () => void;
  /** Which try this is, from 1. */
  attempt: number;
  /** How long one run goes on; it applies one part at least. */
  sliceMs: number;
}

/** Something that a job cannot get over, however often it is tried. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** One part of a job: it does its work in the transaction, and says where the job stands after it. */
export type JobPart = (em: Em) => Promise<JobStep>;

export interface JobRun {
  job: OpenJob;
  /** Whether this run has to stop here. */
  isOver(): boolean;
  /**
   * Applies a part of the job and moves its cursor, in one transaction.
   * @returns whether it was applied; if not, another run has gone on with the job from the same place
   */
  apply(part: JobPart): Promise<boolean>;
}

/**
 * Goes on with a job until it is through, until the time of this run is over, or until another run takes over. The
 * cursor in the database is what makes every part count once: it is compared and moved in the transaction of the part.
 *
 * @param work applies the parts of the job that are left; answers whether none is left
 * @param counts what the operator gets to see of a result
 */
export async function runJob(
  context: JobContext,
  jobId: string,
  work: (run: JobRun) => Promise<boolean>,
  counts: (result: Record<string, unknown>) => Record<string, number>,
): Promise<ContactJobProgress> {
  const { em } = context;
  const job = await findOpenJob(em, jobId);
  if (job === undefined) return { ended: true, outcome: 'gone', progress: 100, counts: {} };
  const deadline = Date.now() + context.sliceMs;
  let applied = 0;

  const run: JobRun = {
    job,
    // Not before something is done: a run that is slow to find its place would never get on.
    isOver: () => context.signal.aborted || (applied > 0 && Date.now() > deadline),
    async apply(part) {
      const step = await retrySerialization(() =>
        em.transactional(async (tx) => {
          if (!(await lockJob(tx, jobId, job.done))) return undefined;
          const after = await part(tx);
          await advanceJob(tx, jobId, after);
          return after;
        }),
      );
      if (step === undefined) return false;
      applied += 1;
      Object.assign(job, step);
      context.committed();
      context.note({ done: step.done, progress: step.progress });
      return true;
    },
  };
  const report = (outcome: ContactJobProgress['outcome']): ContactJobProgress => ({
    ended: outcome !== 'active',
    outcome,
    progress: outcome === 'completed' ? 100 : job.progress,
    counts: counts(job.result),
  });

  try {
    if (!(await work(run))) return report('active');
    return report((await endJob(em, jobId, job.done)) ? 'completed' : 'active');
  } catch (error) {
    if (!isHopeless(error, context.attempt)) throw error;
    const reason = error instanceof JobFailure ? error.message : 'An unexpected error occurred';
    return report((await endJob(em, jobId, job.done, reason)) ? 'failed' : 'active');
  }
}

/** Faults of ours get this many tries, because a broken connection may look like one. */
const mostTries = 5;

/** Whether trying again is no use. A database that is away is no reason to give up. */
function isHopeless(error: unknown, attempt: number): boolean {
  if (error instanceof JobFailure) return true;
  const isFault = [TypeError, RangeError, SyntaxError, z.ZodError].some((kind) => error instanceof kind);
  return isFault && attempt >= mostTries;
}
