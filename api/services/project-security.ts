import { evaluateSender, type SenderFigures } from '../../core/project-security.ts';
import { ProjectSuspension } from '../../db/entities/project-security.ts';
import type { Orm } from '../../db/orm.ts';
import { readEmailFigures } from '../../db/statements/projects/email-figures.ts';
import { requireMember } from './project-access.ts';

const suspensionsShown = 20;
const none: SenderFigures = { sent: 0, bounced: 0, complained: 0 };

export function createProjectSecurityService(orm: Orm, autoDisable: boolean) {
  return {
    /** @throws DomainError `NOT_FOUND` for non-members */
    async read(userId: string, projectId: string) {
      const em = orm.em.fork();
      const { project } = await requireMember(em, projectId, userId);
      const [figures] = await readEmailFigures(em, [projectId]);
      const { week = none, allTime = none } = figures ?? {};
      const sevenDays = { ...week, ...evaluateSender(week) };
      return {
        level: sevenDays.level,
        disabled: project.disabled,
        disabledReason: project.disabledReason ?? null,
        autoDisable,
        sevenDays,
        allTime: { ...allTime, ...evaluateSender(allTime) },
        suspensions: await em.find(
          ProjectSuspension,
          { projectId },
          { orderBy: { createdAt: 'desc', id: 'desc' }, limit: suspensionsShown },
        ),
      };
    },
  };
}
