import { v7 as uuidv7 } from 'uuid';
import type { KeyVault } from '../../core/crypto/project-keys.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { countOwnedProjects } from '../../db/repositories/accounts/memberships.ts';
import { lockUser } from '../../db/repositories/accounts/users.ts';
import {
  type ProjectSettings,
  readSetupState,
  type SetupState,
  updateProjectSettings,
} from '../../db/repositories/projects/project-settings.ts';
import {
  findProjectOfUser,
  insertProject,
  listProjectsOfUser,
  replaceKeys,
} from '../../db/repositories/projects/projects.ts';
import type { ProjectKeys } from '../edge/project-keys.ts';
import { type ProjectAnswer, presentProject } from '../presenters/project.ts';
import { holdAs, requireAdministrator, requireMember } from './project-access.ts';

export interface ProjectsService {
  /** The projects that a user is a member of, oldest first. */
  list(userId: string): Promise<ProjectAnswer[]>;
  /** Creates a project with both keys, owned by the user. @throws DomainError `CONFLICT` beyond the bound of projects */
  create(userId: string, name: string): Promise<ProjectAnswer>;
  /** Changes settings; every process hears of it. @throws DomainError `NOT_FOUND` for a project of others */
  change(userId: string, projectId: string, settings: ProjectSettings): Promise<ProjectAnswer>;
  /**
   * Replaces both keys at once; the old ones are worth nothing when this returns.
   * @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` for the role MEMBER
   */
  regenerateKeys(userId: string, projectId: string): Promise<{ publicKey: string; secretKey: string }>;
  /** Which first steps the project has taken. @throws DomainError `NOT_FOUND` for a project of others */
  setupState(userId: string, projectId: string): Promise<SetupState>;
}

export interface ProjectsServiceOptions {
  orm: Orm;
  vault: KeyVault;
  projectKeys: ProjectKeys;
  /** Projects that a user may own; 0 = no bound. */
  projectsPerUser: number;
}

/** Projects of a user, their settings and keys. */
export function createProjectsService(options: ProjectsServiceOptions): ProjectsService {
  const { orm, vault, projectKeys, projectsPerUser } = options;

  async function read(em: Em, userId: string, projectId: string): Promise<ProjectAnswer> {
    const project = await findProjectOfUser(em, userId, projectId);
    if (project === undefined) throw notFound('Project');
    return presentProject(project, vault);
  }

  return {
    list: async (userId) => {
      const projects = await listProjectsOfUser(orm.em.fork(), userId);
      return projects.map((project) => presentProject(project, vault));
    },

    create: async (userId, name) => {
      const id = uuidv7();
      const keys = vault.createKeys(id).stored;
      const project = await orm.em.fork().transactional(async (em) => {
        // Of calls at once no more pass than may.
        await lockUser(em, userId);
        if (projectsPerUser > 0 && (await countOwnedProjects(em, userId)) >= projectsPerUser) {
          throw new DomainError('CONFLICT', `You own ${projectsPerUser} projects, and may own no more`, {
            details: { limit: projectsPerUser },
            suggestion: 'Delete one first, or ask whoever runs this service to raise PROJECTS_PER_USER.',
          });
        }
        return insertProject(em, { id, name, ownerId: userId, keys });
      });
      if (project === undefined) throw new Error('An insert must answer its row');
      return presentProject(project, vault);
    },

    change: async (userId, projectId, settings) => {
      const answer = await orm.em.fork().transactional(async (em) => {
        await holdAs(em, projectId, userId, requireMember);
        await updateProjectSettings(em, projectId, settings);
        return read(em, userId, projectId);
      });
      // The notification of the commit reaches this process too, but perhaps after the answer.
      projectKeys.forget(projectId);
      return answer;
    },

    regenerateKeys: async (userId, projectId) => {
      const keys = vault.createKeys(projectId);
      await orm.em.fork().transactional(async (em) => {
        await holdAs(em, projectId, userId, requireAdministrator);
        await replaceKeys(em, projectId, keys.stored);
      });
      projectKeys.forget(projectId);
      return { publicKey: keys.publicKey, secretKey: keys.secretKey };
    },

    setupState: async (userId, projectId) => {
      const em = orm.em.fork();
      await requireMember(em, projectId, userId);
      return readSetupState(em, projectId);
    },
  };
}
