import { ConfigError } from '../core/config/load.ts';
import type { Config } from '../core/config/schema.ts';
import type { BillingProvider } from '../providers/billing/stripe.ts';

/**
 * Null when no payment processor is configured. Loads the client only when one is.
 * @throws ConfigError when it is only partly configured
 */
export async function openBillingProvider(config: Config): Promise<BillingProvider | null> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config;
  const [first, ...others] = config.STRIPE_PRICE_IDS;
  if (secretKey === undefined) return null;
  if (webhookSecret === undefined || first === undefined) {
    throw new ConfigError('STRIPE_SECRET_KEY: requires STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_IDS');
  }
  const { createStripeProvider } = await import('../providers/billing/stripe.ts');
  return createStripeProvider({
    secretKey,
    webhookSecret,
    priceIds: [first, ...others],
    apiUrl: config.STRIPE_API_URL,
  });
}
