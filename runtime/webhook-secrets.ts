import { deriveKey } from '../core/crypto/derive-key.ts';
import { decryptText, encryptText } from '../core/crypto/encrypt.ts';
import { createWebhookSecret } from '../core/crypto/webhook-signature.ts';
import type { Orm } from '../db/orm.ts';
import { keepWebhookSecret, readWebhookSecret } from '../db/repositories/workflows/webhook-secrets.ts';

/**
 * Reads the secret that signs the webhooks of a project; the first look makes it.
 *
 * @param appSecret `APP_SECRET`, under which it is stored
 */
export function createWebhookSecrets(orm: Orm, appSecret: string): (projectId: string) => Promise<string> {
  const key = deriveKey(appSecret, 'webhook-secret');
  return async (projectId) => {
    const em = orm.em.fork();
    const stored =
      (await readWebhookSecret(em, projectId)) ??
      (await keepWebhookSecret(em, projectId, encryptText(key, createWebhookSecret(), projectId))) ??
      // Another process was first.
      (await readWebhookSecret(em, projectId));
    if (!stored) throw new Error('A project that is gone has no webhook secret');
    return decryptText(key, stored, projectId);
  };
}
