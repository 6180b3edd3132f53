import type { Orm } from '../../db/orm.ts';
import type { WebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { lockProjectAs, requireAdministrator } from './project-access.ts';

/** Both methods throw DomainError `NOT_FOUND` for non-members, `FORBIDDEN` for the role MEMBER. */
export function createProjectWebhookSecretService(orm: Orm, secrets: WebhookSecrets) {
  return {
    async read(userId: string, projectId: string) {
      const em = orm.em.fork();
      await requireAdministrator(em, projectId, userId);
      return secrets.read(em, projectId);
    },
    /** Creates a new secret. Calls are also signed with the previous one for a day. */
    rotate: (userId: string, projectId: string) =>
      orm.em.fork().transactional(async (em) => {
        const { project } = await lockProjectAs(em, projectId, userId, requireAdministrator);
        await secrets.rotate(em, project);
        return secrets.read(em, projectId);
      }),
  };
}
