import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { openBillingProvider } from './billing-provider.ts';

const open = (environment: Record<string, string>) =>
  openBillingProvider(
    loadConfig({ APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://p', ...environment }),
  );
const all = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  STRIPE_PRICE_IDS: 'price_a, price_b',
};

it('is null without a key', async () => {
  expect(await open({})).toBeNull();
  expect(await open({ ...all, STRIPE_SECRET_KEY: '' })).toBeNull();
});

it('has the prices in their order', async () => {
  expect((await open(all))?.priceIds).toEqual(['price_a', 'price_b']);
});
