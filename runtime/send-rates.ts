import type { Config } from '../core/config/schema.ts';
import type { EmailProvider } from '../providers/email/email-provider.ts';
import type { Warn } from './logger.ts';

/** Emails a second over all processes; null: no limit. */
export interface SendRates {
  account: number | null;
  project: number | null;
}

/** Of what the provider grants, so much is used: its own clock and ours differ. */
const shareOfGranted = 0.9;
const orNone = (rate: number) => (rate === 0 ? null : rate);

/**
 * The send rates that hold right now. While the provider does not tell its limit, the last known one holds, and
 * before that one email a second, which every account grants.
 */
export function createSendRates(
  config: Config,
  provider: EmailProvider,
  warn: Warn,
): () => Promise<SendRates> {
  let lastGranted: number | null = 1;
  return async () => {
    const project = orNone(config.PROJECT_EMAIL_RATE_PER_SECOND);
    if (config.EMAIL_RATE_PER_SECOND > 0) return { account: config.EMAIL_RATE_PER_SECOND, project };
    try {
      lastGranted = await provider.grantedRatePerSecond();
    } catch (err) {
      warn('The provider did not tell its send rate', err);
    }
    return { account: lastGranted === null ? null : lastGranted * shareOfGranted, project };
  };
}
