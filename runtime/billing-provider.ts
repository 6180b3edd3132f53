import type { Config } from '../core/config/schema.ts';
import type { BillingProvider } from '../providers/billing/stripe.ts';

/** Null when no payment processor is configured. Loads the client only when one is. */
export async function openBillingProvider(config: Config): Promise<BillingProvider | null> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config;
  const [first, ...others] = config.STRIPE_PRICE_IDS;
  if (secretKey === undefined || webhookSecret === undefined || first === undefined) return null;
  const { createStripeProvider } = await import('../providers/billing/stripe.ts');
  return createStripeProvider({
    secretKey,
    webhookSecret,
    priceIds: [first, ...others],
    apiUrl: config.STRIPE_API_URL,
  });
}
