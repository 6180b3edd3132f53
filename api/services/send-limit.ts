import type { SendingCategory } from '../../core/billing/categories.ts';
import { DomainError } from '../../core/errors.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import { isNotApplied } from '../../db/database-errors.ts';
import type { Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import {
  giveBackTransactional,
  type TakenEmails,
  takeTransactional,
  type WantedEmails,
} from '../../db/statements/billing/monthly-quota.ts';

const mostAtOnce = 200;

/**
 * Enforces the limit on transactional emails. Concurrent calls share a statement, which releases its lock on the
 * limit before the emails are written. A process killed in between leaves those emails counted.
 */
export function createSendLimit(orm: Orm) {
  const batcher = new Batcher<WantedEmails, Date | null>({
    run: (items) => retryTransaction(() => takeTransactional(orm.em.fork(), items)),
    maxItems: mostAtOnce,
    concurrency: 1,
    groupOf: (item) => item.projectId,
  });
  return {
    /**
     * Counts emails against the project's limit.
     * @throws DomainError `BILLING_LIMIT_EXCEEDED`; then nothing is counted
     */
    async take(wanted: WantedEmails): Promise<TakenEmails> {
      const takenAt = await batcher.submit(wanted);
      if (takenAt === null) throw limitExceeded('transactional', wanted.emails);
      return { ...wanted, takenAt };
    },
    /** Reverses `take` if the error proves that the emails were not queued. */
    async giveBack(taken: TakenEmails, error: unknown) {
      if (isNotApplied(error)) await giveBackTransactional(orm.em.fork(), taken);
    },
  };
}

const names: Readonly<Record<SendingCategory, string>> = {
  transactional: 'transactional email',
  campaigns: 'campaign email',
  workflows: 'workflow email',
};

export function limitExceeded(category: SendingCategory, wanted: number, left?: number): DomainError {
  const emails = `${wanted} ${names[category]}${wanted === 1 ? '' : 's'}`;
  const rest =
    left === undefined
      ? "more than the project's monthly limit leaves"
      : `but the project's monthly limit leaves ${left}`;
  return new DomainError('BILLING_LIMIT_EXCEEDED', `This would send ${emails}, ${rest}`, {
    details: { category, wanted, ...(left !== undefined && { left }) },
    suggestion:
      'Raise the limit with PUT /users/@me/projects/{id}/billing-limits, or wait for the next month.',
  });
}
