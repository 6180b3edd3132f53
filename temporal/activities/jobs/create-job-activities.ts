import { Context } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { Job } from '../../../db/entities/job.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import type { ContactJobActivities, ContactJobProgress } from '../../contracts/contact-jobs.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import type { WriterDependencies } from '../writer-dependencies.ts';
import { changeContacts } from './change-contacts.ts';
import { importContacts } from './import-contacts.ts';
import { createJobLimit } from './limit-jobs.ts';
import type { JobContext } from './run-job.ts';

/** Shorter than the grace period of a shutdown. */
const sliceMs = 10_000;

/**
 * Projects take turns. A part keeps a connection and a CPU busy for up to a second: with one part per activity slot,
 * the emails of all projects waited twelve seconds while one project imported forty files.
 */
const partsAtOnce = 2;

export function createJobActivities({ orm, committed }: WriterDependencies): ContactJobActivities {
  const turns = new FairSemaphore(partsAtOnce);
  const limit = createJobLimit();
  /** Attempts that have failed, by job: those of the activity include the ones that were put off. */
  const failures = new LRUCache<string, number>({ max: 1_000 });

  async function run(
    jobId: string,
    step: (context: JobContext, jobId: string) => Promise<ContactJobProgress>,
  ): Promise<ContactJobProgress> {
    const job = await orm.em.fork().findOne(Job, jobId, { fields: ['projectId'], ...allProjects });
    return limit(job?.projectId ?? jobId, Context.current().info.attempt, async () => {
      const failed = failures.get(jobId) ?? 0;
      const context = { em: orm.em.fork(), committed, attempt: failed + 1, sliceMs, turns };
      try {
        const progress = await withHeartbeat((signal, note) => step({ ...context, signal, note }, jobId));
        failures.delete(jobId);
        return progress;
      } catch (error) {
        failures.set(jobId, failed + 1);
        throw error;
      }
    });
  }

  return {
    importContacts: ({ jobId }) => run(jobId, importContacts),
    changeContacts: ({ jobId }) => run(jobId, changeContacts),
  };
}
