import { notFound } from '../../core/errors.ts';
import { type EmailFigures, judgeSender, type SecurityVerdict } from '../../core/project-security.ts';
import type { Orm } from '../../db/orm.ts';
import { readEmailFigures } from '../../db/repositories/projects/project-email-figures.ts';
import {
  listSuspensions,
  type SuspensionRecord,
} from '../../db/repositories/projects/project-suspensions.ts';
import { findProjectOfUser } from '../../db/repositories/projects/projects.ts';

const suspensionsShown = 20;
const none: EmailFigures = { sent: 0, bounced: 0, complained: 0 };

export interface SecurityState {
  /** Of the last seven days: what the project is judged by. */
  level: SecurityVerdict['level'];
  disabled: boolean;
  disabledReason: string | null;
  autoDisable: boolean;
  sevenDays: EmailFigures & SecurityVerdict;
  allTime: EmailFigures & SecurityVerdict;
  /** The latest, newest first. */
  suspensions: SuspensionRecord[];
}

export interface ProjectSecurityService {
  /** @throws DomainError `NOT_FOUND` for a project of others */
  read(userId: string, projectId: string): Promise<SecurityState>;
}

/** How a project's emails are received, and what came of it. */
export function createProjectSecurityService(orm: Orm, autoDisable: boolean): ProjectSecurityService {
  return {
    async read(userId, projectId) {
      const em = orm.em.fork();
      const project = await findProjectOfUser(em, userId, projectId);
      if (project === undefined) throw notFound('Project');
      const [figures] = await readEmailFigures(em, [projectId]);
      const { week = none, allTime = none } = figures ?? {};
      const sevenDays = { ...week, ...judgeSender(week) };
      return {
        level: sevenDays.level,
        disabled: project.disabled,
        disabledReason: project.disabledReason ?? null,
        autoDisable,
        sevenDays,
        allTime: { ...allTime, ...judgeSender(allTime) },
        suspensions: await listSuspensions(em, projectId, suspensionsShown),
      };
    },
  };
}
