import { v7 as uuidv7 } from 'uuid';
import type { KeyVault } from '../../core/crypto/project-keys.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import type { Orm } from '../../db/orm.ts';
import {
  insertProject,
  listProjectsOfUser,
  lockProjectOfUser,
  replaceKeys,
} from '../../db/repositories/projects.ts';
import type { ProjectKeys } from '../edge/project-keys.ts';
import { mayManageKeys, type ProjectAnswer, presentProject } from '../presenters/project.ts';

export interface ProjectsService {
  /** The projects that a user is a member of, oldest first. */
  list(userId: string): Promise<ProjectAnswer[]>;
  /** Creates a project with both keys, owned by the user. */
  create(userId: string, name: string): Promise<ProjectAnswer>;
  /**
   * Replaces both keys at once; the old ones are worth nothing when this returns.
   * @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` for the role MEMBER
   */
  regenerateKeys(userId: string, projectId: string): Promise<{ publicKey: string; secretKey: string }>;
}

export interface ProjectsServiceOptions {
  orm: Orm;
  vault: KeyVault;
  projectKeys: ProjectKeys;
}

/** Projects of a user and their keys. */
export function createProjectsService({ orm, vault, projectKeys }: ProjectsServiceOptions): ProjectsService {
  return {
    list: async (userId) => {
      const projects = await listProjectsOfUser(orm.em.fork(), userId);
      return projects.map((project) => presentProject(project, vault));
    },

    create: async (userId, name) => {
      const id = uuidv7();
      const keys = vault.createKeys(id).stored;
      const project = await insertProject(orm.em.fork(), { id, name, ownerId: userId, keys });
      if (project === undefined) throw new Error('An insert must answer its row');
      return presentProject(project, vault);
    },

    regenerateKeys: async (userId, projectId) => {
      const keys = vault.createKeys(projectId);
      await orm.em.fork().transactional(async (em) => {
        const project = await lockProjectOfUser(em, userId, projectId);
        if (project === undefined) throw notFound('Project');
        if (!mayManageKeys(project.role)) {
          throw new DomainError('FORBIDDEN', 'Only an owner or admin of the project may do this');
        }
        await replaceKeys(em, projectId, keys.stored);
      });
      // The notification of the commit reaches this process too, but perhaps after the answer.
      projectKeys.forget(projectId);
      return { publicKey: keys.publicKey, secretKey: keys.secretKey };
    },
  };
}
