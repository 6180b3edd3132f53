import type { Orm } from '../../db/orm.ts';
import type { ProjectWebhookSecrets, WebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { lockProjectAs, requireAdministrator } from './project-access.ts';

/** Both methods throw DomainError `NOT_FOUND` for non-members, `FORBIDDEN` for the role MEMBER. */
export interface ProjectWebhookSecretService {
  read(userId: string, projectId: string): Promise<ProjectWebhookSecrets>;
  /** Creates a new secret. Calls are also signed with the previous one for a day. */
  rotate(userId: string, projectId: string): Promise<ProjectWebhookSecrets>;
}

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
        await lockProjectAs(em, projectId, userId, requireAdministrator);
        await secrets.rotate(em, projectId);
        return secrets.read(em, projectId);
      }),
  };
}
