import { randomUUID } from 'node:crypto';
import { createSnsSigner } from '../../local/ses/events/sns-signer.ts';
import { startDnsServer } from '../../providers/testing/dns-server.ts';
import { startHttpServer } from '../../providers/testing/http-server.ts';
import { startProductWithAccountMail } from '../setup/account-mail.ts';
import { type OwnProduct, testTopic } from '../setup/product.ts';
import { startSignInServer } from '../setup/sign-in-server.ts';
import { signNotification, startStripeServer } from '../setup/stripe/stripe-server.ts';
import type { Call } from './call.ts';

export interface Stage {
  stack: OwnProduct;
  notification(topic?: string): string;
  payment(): Call;
  close(): Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const signer = await createSnsSigner();
  const [dns, elsewhere, certificates, stripe] = await Promise.all([
    startDnsServer([
      { type: 'NS', name: 'example.com', value: 'ns.example.com' },
      { type: 'MX', name: 'example.com', value: 'mail.example.com' },
    ]),
    startSignInServer(),
    startHttpServer((_, response) => response.end(signer.certificatePem)),
    startStripeServer(),
  ]);
  elsewhere.account = { id: 1, email: 'grace@example.com', isVerified: true };
  const stack = await startProductWithAccountMail({
    API_RATE_LIMIT_PER_MINUTE: '0',
    DNS_SERVERS: dns.address,
    SNS_LOCAL_HOST: certificates.host,
    OAUTH_GOOGLE_ISSUER: elsewhere.url,
    OAUTH_GOOGLE_CLIENT_ID: elsewhere.clientId,
    OAUTH_GOOGLE_CLIENT_SECRET: elsewhere.clientSecret,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_PRICE_IDS: stripe.prices.join(','),
    STRIPE_API_URL: stripe.url,
  });
  return {
    stack,
    notification(topic = testTopic) {
      const message = signer.sign({
        Type: 'Notification',
        MessageId: randomUUID(),
        TopicArn: topic,
        Message: '{"eventType":"Subscription"}',
        Timestamp: new Date().toISOString(),
        SigningCertURL: `${certificates.url}/SimpleNotificationService-${signer.certificateId}.pem`,
      });
      return JSON.stringify(message);
    },
    payment() {
      const body = JSON.stringify(stripe.event('product.updated', { id: 'prod_1' }));
      return { body, headers: { 'Stripe-Signature': signNotification(body, stripe.webhookSecret) } };
    },
    async close() {
      await stack.close();
      elsewhere.close();
      await Promise.all([dns.close(), certificates.close(), stripe.close()]);
    },
  };
}
