import { z } from 'zod';
import type { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { isOverMatchLimit } from '../../../db/database-errors.ts';
import { Job, JobChunk, type JobStep, openJob } from '../../../db/entities/job.ts';
import { allProjects, lockedOfAllProjects } from '../../../db/entities/project-em.ts';
import type { Em } from '../../../db/orm.ts';
import { inRetriedTransaction } from '../../../db/retry-transaction.ts';
import type { ContactJobProgress } from '../../contracts/contact-jobs.ts';

export interface JobContext {
  em: Em;
  signal: AbortSignal;
  /** Shown while the job runs, like its result after a run. */
  note: (shown: Pick<ContactJobProgress, 'progress' | 'counts'>) => void;
  committed: () => void;
  attempt: number;
  /** Time limit of one run; it applies at least one part. */
  sliceMs: number;
  /** Limits the parts that this process applies at a time. */
  turns: FairSemaphore;
}

/**
 * Applies items in parts, of half the size where those of a part would start very many executions: the journal of all
 * projects waits for a transaction.
 *
 * @returns false as soon as `apply` does
 */
export async function inFewerAtOnce<Item>(
  items: readonly Item[],
  apply: (part: readonly Item[]) => Promise<boolean>,
): Promise<boolean> {
  let most = items.length;
  for (let at = 0; at < items.length; ) {
    const part = items.slice(at, at + most);
    try {
      if (!(await apply(part))) return false;
      at += part.length;
    } catch (error) {
      // A single one always fits.
      if (!isOverMatchLimit(error)) throw error;
      most = part.length >> 1;
    }
  }
  return true;
}

/** A permanent failure of the job, which retries can't fix. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

export type JobPart = (em: Em) => Promise<JobStep>;

export interface JobRun {
  job: Job;
  isOver(): boolean;
  /**
   * Applies a part and advances the job's cursor in one transaction.
   *
   * @returns false, with nothing applied, when the job is over, another run has moved the cursor, or this run's time
   * was up before its turn came
   */
  apply(part: JobPart): Promise<boolean>;
}

/**
 * Continues a job until it is done, this run's time is up, or another run takes over. Every part counts once: the
 * cursor is compared and advanced in the part's transaction.
 *
 * @param work applies the remaining parts; returns whether none is left
 * @param counts counters of a result to show to operators
 */
export async function runJob(
  context: JobContext,
  jobId: string,
  work: (run: JobRun) => Promise<boolean>,
  counts: (result: Record<string, unknown>) => Record<string, number>,
): Promise<ContactJobProgress> {
  const { em } = context;
  const job = await em.fork().findOne(Job, openJob(jobId), allProjects);
  if (job === null) return { ended: true, outcome: 'gone', progress: 100, counts: {} };
  const deadline = performance.now() + context.sliceMs;
  let applied = 0;

  const run: JobRun = {
    job,
    // Only after some progress: otherwise a run that is slow to reach its position would never advance.
    isOver: () => context.signal.aborted || (applied > 0 && performance.now() > deadline),
    async apply(part) {
      const step = await context.turns.run(job.projectId, async () => {
        if (run.isOver()) return undefined;
        return inRetriedTransaction(em, async (tx) => {
          const locked = await lockJob(tx, job);
          if (locked === null) return undefined;
          const after = await part(tx);
          locked.advance(after);
          return after;
        });
      });
      if (step === undefined) return false;
      applied += 1;
      job.advance(step);
      context.committed();
      context.note({ progress: job.progress, counts: counts(job.result) });
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
    return report((await endJob(em, job)) ? 'completed' : 'active');
  } catch (error) {
    if (!isHopeless(error, context.attempt)) throw error;
    const reason = error instanceof JobFailure ? error.message : 'An unexpected error occurred';
    return report((await endJob(em, job, reason)) ? 'failed' : 'active');
  }
}

const lockJob = (em: Em, { id, done }: Job): Promise<Job | null> =>
  em.findOne(Job, openJob(id, done), lockedOfAllProjects);

/**
 * @param failedReason undefined when the job is completed
 * @returns false when the job was over or another run has moved its cursor
 */
function endJob(em: Em, job: Job, failedReason?: string): Promise<boolean> {
  return em.fork().transactional(async (tx) => {
    const locked = await lockJob(tx, job);
    if (locked === null) return false;
    locked.end(failedReason);
    await tx.nativeDelete(JobChunk, { jobId: job.id });
    return true;
  });
}

/** Bugs of our own get this many attempts, because a broken connection may look like one. */
const maxAttempts = 5;

/** Retries continue while the database is unreachable. */
function isHopeless(error: unknown, attempt: number): boolean {
  if (error instanceof JobFailure) return true;
  const isFault = [TypeError, RangeError, SyntaxError, z.ZodError].some((kind) => error instanceof kind);
  return isFault && attempt >= maxAttempts;
}
