import type { Config } from '../core/config/schema.ts';
import type { EmailProvider } from '../providers/email/email-provider.ts';
import type { Warn } from './logger.ts';

/** Emails per second across all processes, for the provider account and for each project; null means unlimited. */
export interface SendRates {
  account: number | null;
  project: number | null;
}

/** Safety margin below the provider's limit, because its clock differs from ours. */
const shareOfGranted = 0.9;
const orNone = (rate: number) => (rate === 0 ? null : rate);

/**
 * The current send rates. While the provider does not report its limit, the last known one applies; before the first
 * report, one email per second, which every account allows.
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
      warn('The provider did not report its send rate', err);
    }
    return { account: lastGranted === null ? null : lastGranted * shareOfGranted, project };
  };
}
