import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

export function createWebhookSecret(): string {
  return `${prefix}${randomBytes(24).toString('base64')}`;
}

/**
 * Signs a call with each secret (Standard Webhooks 1.0, `v1`); a receiver accepts it if any signature matches
 * a secret it knows.
 *
 * @param call `id` stays the same across retries; `at` is truncated to seconds
 */
export function signWebhook(
  secrets: readonly string[],
  call: { id: string; at: Date; body: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(call.at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    const digest = createHmac('sha256', key).update(`${call.id}.${timestamp}.${call.body}`).digest('base64');
    return `v1,${digest}`;
  });
  return { 'webhook-id': call.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
