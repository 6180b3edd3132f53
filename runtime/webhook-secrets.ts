import { raw } from '@mikro-orm/core';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { decryptText, encryptText } from '../core/crypto/encrypt.ts';
import { createWebhookSecret } from '../core/crypto/webhook-signature.ts';
import { notFound } from '../core/errors.ts';
import { Project } from '../db/entities/project.ts';
import type { Em } from '../db/orm.ts';

export interface ProjectWebhookSecrets {
  current: string;
  /** The previous secret also signs until then, so that receivers can rotate. */
  previous: { secret: string; until: Date } | null;
}

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

const overlapHours = 24;

const readSecrets = (em: Em, id: string) =>
  em.findOne(
    Project,
    { id },
    {
      fields: ['webhookSecretEncrypted', 'webhookSecretPreviousEncrypted', 'webhookSecretPreviousUntil'],
      refresh: true,
    },
  );

/** @param appSecret `APP_SECRET`, from which the encryption key is derived */
export function createWebhookSecrets(appSecret: string) {
  const key = deriveKey(appSecret, 'webhook-secret');
  const fresh = (projectId: string) => encryptText(key, createWebhookSecret(), projectId);
  return {
    /** Creates the secret if there is none. @throws DomainError `NOT_FOUND` when the project was deleted */
    async read(em: Em, projectId: string) {
      let project = await readSecrets(em, projectId);
      if (project !== null && !project.webhookSecretEncrypted) {
        // A compare-and-set: another process may be first.
        const none = { id: projectId, webhookSecretEncrypted: null };
        await em.nativeUpdate(Project, none, { webhookSecretEncrypted: fresh(projectId) });
        project = await readSecrets(em, projectId);
      }
      if (!project?.webhookSecretEncrypted) throw notFound('Project');
      const { webhookSecretPreviousEncrypted: previous, webhookSecretPreviousUntil: until } = project;
      return {
        current: decryptText(key, project.webhookSecretEncrypted, projectId),
        previous:
          previous && until && until > new Date()
            ? { secret: decryptText(key, previous, projectId), until }
            : null,
      };
    },

    /**
     * The previous secret stays valid for a day; older ones do not. `updatedAt` stays: clients saw no change.
     * @param project locked in the transaction
     */
    async rotate(em: Em, { id, webhookSecretEncrypted: previous = null }: Project) {
      await em.nativeUpdate(
        Project,
        { id },
        {
          webhookSecretEncrypted: fresh(id),
          webhookSecretPreviousEncrypted: previous,
          webhookSecretPreviousUntil: previous && raw(`now() + interval '${overlapHours} hours'`),
        },
      );
    },
  };
}
