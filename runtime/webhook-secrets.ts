import { deriveKey } from '../core/crypto/derive-key.ts';
import { decryptText, encryptText } from '../core/crypto/encrypt.ts';
import { createWebhookSecret } from '../core/crypto/webhook-signature.ts';
import { Project } from '../db/entities/project.ts';
import type { Em } from '../db/orm.ts';
import { readWebhookSecrets } from '../db/statements/projects/read-webhook-secrets.ts';
import { replaceWebhookSecret } from '../db/statements/projects/replace-webhook-secret.ts';

export interface ProjectWebhookSecrets {
  current: string;
  /** The previous secret also signs until then, so that receivers can rotate. */
  previous: { secret: string; until: Date } | null;
}

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

const overlapHours = 24;

/** @param appSecret `APP_SECRET`, from which the encryption key is derived */
export function createWebhookSecrets(appSecret: string) {
  const key = deriveKey(appSecret, 'webhook-secret');
  const fresh = (projectId: string) => encryptText(key, createWebhookSecret(), projectId);
  return {
    /** Creates the secret if there is none. @throws Error when the project was deleted */
    async read(em: Em, projectId: string) {
      let stored = await readWebhookSecrets(em, projectId);
      if (stored?.current === null) {
        // A compare-and-set: another process may be first.
        const none = { id: projectId, webhookSecretEncrypted: null };
        await em.nativeUpdate(Project, none, { webhookSecretEncrypted: fresh(projectId) });
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
    rotate: (em: Em, projectId: string) =>
      replaceWebhookSecret(em, projectId, fresh(projectId), overlapHours),
  };
}
