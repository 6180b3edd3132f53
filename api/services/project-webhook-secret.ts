import type { Orm } from '../../db/orm.ts';
import type { ProjectWebhookSecrets, WebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { holdAs, requireAdministrator } from './project-access.ts';

/** Both throw DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` for the role MEMBER. */
export interface ProjectWebhookSecretService {
  read(userId: string, projectId: string): Promise<ProjectWebhookSecrets>;
  /** Makes a new secret; the one before signs too for a day. */
  rotate(userId: string, projectId: string): Promise<ProjectWebhookSecrets>;
}

/** The secret that proves to receivers of webhooks where a call comes from. */
export function createProjectWebhookSecretService(
  orm: Orm,
  secrets: WebhookSecrets,
): ProjectWebhookSecretService {
  return {
    async read(userId, projectId) {
      const em = orm.em.fork();
      await requireAdministrator(em, projectId, userId);
      return secrets.read(em, projectId);
    },
    rotate: (userId, projectId) =>
      orm.em.fork().transactional(async (em) => {
        await holdAs(em, projectId, userId, requireAdministrator);
        await secrets.rotate(em, projectId);
        return secrets.read(em, projectId);
      }),
  };
}
