import { Context } from '@temporalio/activity';
import type { Orm } from '../../../db/orm.ts';
import type { ContactJobActivities, ContactJobProgress } from '../../contracts/contact-jobs.ts';
import type { AfterCommit } from '../after-commit.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { changeContacts } from './change-contacts.ts';
import { importContacts } from './import-contacts.ts';
import type { JobContext } from './run-job.ts';

export interface JobActivityDependencies extends AfterCommit {
  orm: Orm;
}

/** Shorter than the grace period of a shutdown. */
const sliceMs = 10_000;

export function createJobActivities({ orm, committed }: JobActivityDependencies): ContactJobActivities {
  const run = (
    jobId: string,
    step: (context: JobContext, jobId: string) => Promise<ContactJobProgress>,
  ): Promise<ContactJobProgress> => {
    const { attempt } = Context.current().info;
    return withHeartbeat((signal, note) =>
      step({ em: orm.em.fork(), signal, note, committed, attempt, sliceMs }, jobId),
    );
  };
  return {
    importContacts: ({ jobId }) => run(jobId, importContacts),
    changeContacts: ({ jobId }) => run(jobId, changeContacts),
  };
}
