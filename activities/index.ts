import { Context } from '@temporalio/activity';
import type { Orm } from '../db/orm.ts';
import { deleteExpired, requeueStrandedEmails } from '../db/repositories/sweeps.ts';
import type { DomainIdentities } from '../providers/domains/domain-identities.ts';
import type { EmailProvider, HandOver } from '../providers/email/email-provider.ts';
import type { DomainVerificationActivities } from '../temporal/contracts/domain-verification.ts';
import type { EmailBatchActivities } from '../temporal/contracts/email-batch.ts';
import type { SweepActivities } from '../temporal/contracts/sweeps.ts';
import { checkDomain } from './domains/check-domain.ts';
import { dispatchEmails } from './emails/dispatch-emails.ts';
import type { ClaimedRenderer } from './emails/render-claimed.ts';
import type { SendRates } from './emails/reserve-slots.ts';

export interface ActivityDependencies {
  orm: Orm;
  provider: EmailProvider;
  identities: DomainIdentities;
  render: ClaimedRenderer;
  /** The send rates that hold right now. */
  rates: () => Promise<SendRates>;
  unknownSeconds: number;
  bodyRetentionDays: number;
  /** Called after a commit that may have left commands for Temporal or rows for the journal's reader. */
  committed: () => void;
  /** Counts what became of a hand-over, for the metrics. */
  countHandOver: (outcome: HandOver['outcome'] | 'suppressed') => void;
}

const heartbeatMs = 4_000;

/** Runs `work` with a heartbeat of its own, because a provider may take longer to answer than a heartbeat may. */
async function withHeartbeat<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), heartbeatMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** Every activity that workflows can order, bound to this process's connections. */
export function createActivities(
  dependencies: ActivityDependencies,
): EmailBatchActivities & DomainVerificationActivities & SweepActivities {
  const { orm, provider, identities } = dependencies;
  return {
    dispatchEmails: (input) =>
      withHeartbeat(async (signal) => {
        const result = await dispatchEmails(
          {
            em: orm.em.fork(),
            provider,
            rates: await dependencies.rates(),
            render: dependencies.render,
            unknownSeconds: dependencies.unknownSeconds,
            signal,
            count: dependencies.countHandOver,
          },
          input.emailIds,
        );
        dependencies.committed();
        return result;
      }),
    checkDomain: ({ domainId }) => checkDomain(orm.em.fork(), identities, domainId),
    sweepExpired: () => deleteExpired(orm.em.fork(), dependencies.bodyRetentionDays),
    async repairStrandedEmails() {
      // From ten minutes back: what is younger may be on its way; each email is looked at in several runs.
      const requeued = await requeueStrandedEmails(orm.em.fork(), 40 * 60, 10 * 60);
      dependencies.committed();
      return { requeued };
    },
  };
}
