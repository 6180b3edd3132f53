import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A fresh secret, as its owner and the libraries of Standard Webhooks write it. */
export function createWebhookSecret(): string {
  return `${prefix}${randomBytes(24).toString('base64')}`;
}

/**
 * The headers that prove a call to its receiver (Standard Webhooks 1.0, `v1`), with a signature per secret: a receiver
 * takes the call when one of them is of a secret that it knows.
 *
 * @param id the same for each try of one call
 * @param at second precision
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
