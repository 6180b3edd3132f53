import { GetAccountCommand } from '@aws-sdk/client-sesv2';
import { createSesAccountClient, type SesOptions } from './ses-client.ts';

export type SesAccount = Awaited<ReturnType<typeof readSesAccount>>;

/** Needs `ses:GetAccount`. */
export async function readSesAccount(options: SesOptions) {
  const client = createSesAccountClient(options);
  try {
    const account = await client.send(new GetAccountCommand({}));
    return {
      isSending: account.SendingEnabled ?? false,
      isOutOfSandbox: account.ProductionAccessEnabled ?? false,
      /** `HEALTHY`, `PROBATION` or `SHUTDOWN`. */
      enforcement: account.EnforcementStatus ?? 'HEALTHY',
      ratePerSecond: account.SendQuota?.MaxSendRate ?? 0,
      sentToday: account.SendQuota?.SentLast24Hours ?? 0,
      /** Per 24 hours; -1: unlimited. */
      quotaPerDay: account.SendQuota?.Max24HourSend ?? 0,
    };
  } finally {
    client.destroy();
  }
}
