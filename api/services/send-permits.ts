import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isNotApplied, isRolledBack } from '../../db/batching/is-rolled-back.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Orm } from '../../db/orm.ts';
import {
  giveBackTransactional,
  takeTransactional,
  type WantedEmails,
} from '../../db/repositories/billing/limits.ts';
import { limitExceeded } from './billing-refusals.ts';

export interface SendPermits {
  /** Counts emails of a project that has a limit. @throws DomainError `BILLING_LIMIT_EXCEEDED`, and counts nothing */
  take(projectId: string, emails: number): Promise<void>;
  /** Takes a count back when it is certain that the emails were not queued. @param error why they were not */
  giveBack(projectId: string, emails: number, error: unknown): Promise<void>;
}

const mostAtOnce = 200;

/**
 * What limited projects may send. Calls of one moment share a statement, whose lock on the limit ends before their
 * emails are written. A process that is killed between the two leaves its calls of that moment counted.
 */
export function createSendPermits(orm: Orm): SendPermits {
  const batcher = createBatcher<WantedEmails, boolean>({
    run: (items) => retrySerialization(() => takeTransactional(orm.em.fork(), items)),
    maxItems: mostAtOnce,
    concurrency: 1,
    groupOf: (item) => item.projectId,
    isRolledBack,
  });
  return {
    async take(projectId, emails) {
      if (!(await batcher.submit({ projectId, emails }))) throw limitExceeded('transactional', emails);
    },
    async giveBack(projectId, emails, error) {
      if (isNotApplied(error)) await giveBackTransactional(orm.em.fork(), { projectId, emails });
    },
  };
}
