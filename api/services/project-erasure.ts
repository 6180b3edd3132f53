import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { Orm } from '../../db/orm.ts';
import { type ErasedData, eraseProject } from '../../db/repositories/projects/erase-project.ts';
import {
  deleteProject,
  findErasure,
  hurryErasure,
  recordErasure,
} from '../../db/repositories/projects/project-erasures.ts';
import { findProjectOfUser } from '../../db/repositories/projects/projects.ts';
import type { ProjectKeys } from '../edge/project-keys.ts';
import { holdAs, requireAdministrator, requireOwner } from './project-access.ts';

/** The workflow takes over when the call has not come to its end after this time. */
const callSeconds = 120;

/** Both: @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` where the role is not enough. */
export interface ProjectErasureService {
  /** Deletes a project. Its keys stop working at once; its data go in the background, everywhere. */
  remove(userId: string, projectId: string): Promise<void>;
  /**
   * Deletes the data of a project. Answers when they are gone from Postgres; ClickHouse follows.
   * @param confirm the name of the project. @throws DomainError `BAD_REQUEST` for another
   */
  reset(userId: string, projectId: string, confirm: string): Promise<ErasedData>;
}

export interface ProjectErasureOptions {
  orm: Orm;
  projectKeys: ProjectKeys;
  /** Called after a commit that left a command for Temporal. */
  committed: () => void;
}

/** What cannot be undone. */
export function createProjectErasureService(options: ProjectErasureOptions): ProjectErasureService {
  const { orm, projectKeys, committed } = options;
  return {
    async remove(userId, projectId) {
      await orm.em.fork().transactional(async (em) => {
        await holdAs(em, projectId, userId, requireOwner);
        await recordErasure(em, { id: newId(), projectId, delaySeconds: 0 });
        await deleteProject(em, projectId);
      });
      projectKeys.forget(projectId);
      committed();
    },

    async reset(userId, projectId, confirm) {
      const id = newId();
      await orm.em.fork().transactional(async (em) => {
        await holdAs(em, projectId, userId, requireAdministrator);
        const project = await findProjectOfUser(em, userId, projectId);
        if (project?.name !== confirm) {
          throw new DomainError('BAD_REQUEST', 'Confirm with the name of the project');
        }
        await recordErasure(em, { id, projectId, delaySeconds: callSeconds });
      });
      committed();
      const em = orm.em.fork();
      const erasure = await findErasure(em, id);
      if (erasure === undefined || erasure.isProjectGone) throw notFound('Project');
      const erased = await eraseProject(em, erasure);
      await hurryErasure(em, id);
      committed();
      return erased;
    },
  };
}
