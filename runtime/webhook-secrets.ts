import { deriveKey } from '../core/crypto/derive-key.ts';
import { decryptText, encryptText } from '../core/crypto/encrypt.ts';
import { createWebhookSecret } from '../core/crypto/webhook-signature.ts';
import type { Em } from '../db/orm.ts';
import {
  keepWebhookSecret,
  readWebhookSecrets,
  replaceWebhookSecret,
} from '../db/repositories/workflows/webhook-secrets.ts';

/** What signs the webhooks of a project. */
export interface ProjectWebhookSecrets {
  current: string;
  /** Signs too until then, so that receivers can change over. */
  previous: { secret: string; until: Date } | null;
}

export interface WebhookSecrets {
  /** The first look makes the secret. @throws Error when the project is gone */
  read(em: Em, projectId: string): Promise<ProjectWebhookSecrets>;
  /** Makes a new one; the one before goes on to sign for a day. */
  rotate(em: Em, projectId: string): Promise<void>;
}

const overlapHours = 24;

/**
 * The secrets that sign the webhooks of projects.
 *
 * @param appSecret `APP_SECRET`, under which they are stored
 */
export function createWebhookSecrets(appSecret: string): WebhookSecrets {
  const key = deriveKey(appSecret, 'webhook-secret');
  const fresh = (projectId: string) => encryptText(key, createWebhookSecret(), projectId);
  return {
    async read(em, projectId) {
      let stored = await readWebhookSecrets(em, projectId);
      if (stored?.current === null) {
        await keepWebhookSecret(em, projectId, fresh(projectId));
        // Another process may have been first.
        stored = await readWebhookSecrets(em, projectId);
      }
      if (!stored?.current) throw new Error('A project that is gone has no webhook secret');
      const { current, previous, previousUntil } = stored;
      return {
        current: decryptText(key, current, projectId),
        previous:
          previous && previousUntil
            ? { secret: decryptText(key, previous, projectId), until: previousUntil }
            : null,
      };
    },
    rotate: (em, projectId) => replaceWebhookSecret(em, projectId, fresh(projectId), overlapHours),
  };
}
