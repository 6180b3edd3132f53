import { deriveKey } from '../core/crypto/derive-key.ts';
import { decryptText, encryptText } from '../core/crypto/encrypt.ts';
import { createWebhookSecret } from '../core/crypto/webhook-signature.ts';
import type { Em } from '../db/orm.ts';
import { addWebhookSecret } from '../db/statements/projects/add-webhook-secret.ts';
import { readWebhookSecrets } from '../db/statements/projects/read-webhook-secrets.ts';
import { replaceWebhookSecret } from '../db/statements/projects/replace-webhook-secret.ts';

export interface ProjectWebhookSecrets {
  current: string;
  /** The previous secret also signs until then, so that receivers can rotate. */
  previous: { secret: string; until: Date } | null;
}

export interface WebhookSecrets {
  /** Creates the secret if there is none. @throws Error when the project was deleted */
  read(em: Em, projectId: string): Promise<ProjectWebhookSecrets>;
  /** The previous secret stays valid for 24 hours. */
  rotate(em: Em, projectId: string): Promise<void>;
}

const overlapHours = 24;

/** @param appSecret `APP_SECRET`, from which the encryption key is derived */
export function createWebhookSecrets(appSecret: string): WebhookSecrets {
  const key = deriveKey(appSecret, 'webhook-secret');
  const fresh = (projectId: string) => encryptText(key, createWebhookSecret(), projectId);
  return {
    async read(em, projectId) {
      let stored = await readWebhookSecrets(em, projectId);
      if (stored?.current === null) {
        await addWebhookSecret(em, projectId, fresh(projectId));
        // Another process may have been first.
        stored = await readWebhookSecrets(em, projectId);
      }
      if (!stored?.current) throw new Error('A project that was deleted has no webhook secret');
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
