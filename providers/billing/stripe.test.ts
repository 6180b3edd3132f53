import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startHttpServer } from '../testing/http-server.ts';
import { BillingUnavailable } from './billing-unavailable.ts';
import { createStripeProvider } from './stripe.ts';

it.each<[string, (response: ServerResponse) => unknown]>([
  ['never answers', () => undefined],
  [
    'never ends its answer',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  ],
])('gives up on a call and its connection after the time limit when Stripe %s', async (_what, answer) => {
  const silent = await startHttpServer((_request, response) => answer(response));
  const options = { secretKey: 'sk_test_1', webhookSecret: 'whsec_1', apiUrl: silent.url };
  const stripe = createStripeProvider({ ...options, priceIds: ['price_1'] }, 200);
  await expect(stripe.openPortal('cus_1', 'https://app.example.com')).rejects.toThrow(BillingUnavailable);
  await expect.poll(() => silent.openConnections).toBe(0);
  await silent.close();
});
