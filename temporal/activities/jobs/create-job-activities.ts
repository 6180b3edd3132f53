import { Context } from '@temporalio/activity';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { ContactJobActivities, ContactJobProgress } from '../../contracts/contact-jobs.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import type { WriterDependencies } from '../writer-dependencies.ts';
import { changeContacts } from './change-contacts.ts';
import { importContacts } from './import-contacts.ts';
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
  const run = (
    jobId: string,
    step: (context: JobContext, jobId: string) => Promise<ContactJobProgress>,
  ): Promise<ContactJobProgress> => {
    const { attempt } = Context.current().info;
    return withHeartbeat((signal, note) =>
      step({ em: orm.em.fork(), signal, note, committed, attempt, sliceMs, turns }, jobId),
    );
  };
  return {
    importContacts: ({ jobId }) => run(jobId, importContacts),
    changeContacts: ({ jobId }) => run(jobId, changeContacts),
  };
}
