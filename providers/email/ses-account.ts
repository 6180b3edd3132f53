import { GetAccountCommand } from '@aws-sdk/client-sesv2';
import { createSesAccountClient, type SesOptions } from './ses-client.ts';

export interface SesAccount {
  isSending: boolean;
  isOutOfSandbox: boolean;
  /** `HEALTHY`, `PROBATION` or `SHUTDOWN`. */
  enforcement: string;
  ratePerSecond: number;
  sentToday: number;
  /** Per 24 hours; -1: unlimited. */
  quotaPerDay: number;
}

/** Needs `ses:GetAccount`. */
export async function readSesAccount(options: SesOptions): Promise<SesAccount> {
  const client = createSesAccountClient(options);
  try {
    const account = await client.send(new GetAccountCommand({}));
    return {
      isSending: account.SendingEnabled ?? false,
      isOutOfSandbox: account.ProductionAccessEnabled ?? false,
      enforcement: account.EnforcementStatus ?? 'HEALTHY',
      ratePerSecond: account.SendQuota?.MaxSendRate ?? 0,
      sentToday: account.SendQuota?.SentLast24Hours ?? 0,
      quotaPerDay: account.SendQuota?.Max24HourSend ?? 0,
    };
  } finally {
    client.destroy();
  }
}
