import type { Orm } from '../../../db/orm.ts';
import type { EmailProvider, HandOver } from '../../../providers/email/email-provider.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import type { EmailBatchActivities } from '../../contracts/email-batch.ts';
import type { AfterCommit } from '../after-commit.ts';
import type { ClaimedRenderer } from '../sending/render-claimed.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { dispatchEmails } from './dispatch-emails.ts';
import { createDispatchResources } from './dispatch-resources.ts';

export interface EmailActivityDependencies extends AfterCommit {
  orm: Orm;
  provider: EmailProvider;
  render: ClaimedRenderer;
  rates: () => Promise<SendRates>;
  unknownSeconds: number;
  countHandOver: (outcome: HandOver['outcome'] | 'suppressed') => void;
}

export function createEmailActivities(dependencies: EmailActivityDependencies): EmailBatchActivities {
  const { orm, provider, render, unknownSeconds } = dependencies;
  const shared = createDispatchResources(orm);
  return {
    dispatchEmails: ({ emailIds }) =>
      withHeartbeat(async (signal) => {
        const result = await dispatchEmails(
          {
            ...shared,
            em: orm.em.fork(),
            provider,
            rates: await dependencies.rates(),
            render,
            unknownSeconds,
            signal,
            count: dependencies.countHandOver,
          },
          emailIds,
        );
        dependencies.committed();
        return result;
      }),
  };
}
