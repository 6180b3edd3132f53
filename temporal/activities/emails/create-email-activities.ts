import type { EmailBatchActivities } from '../../contracts/email-batch.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import type { EmailDispatcher } from './email-dispatcher.ts';

export interface EmailActivityDependencies {
  emails: Pick<EmailDispatcher, 'dispatch'>;
}

export function createEmailActivities({ emails }: EmailActivityDependencies): EmailBatchActivities {
  return {
    dispatchEmails: ({ emailIds }) => withHeartbeat((signal) => emails.dispatch(emailIds, signal)),
  };
}
