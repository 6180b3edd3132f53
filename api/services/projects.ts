import type { KeyVault } from '../../core/crypto/project-keys.ts';
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { mayAdminister, type ProjectRole } from '../../core/project-roles.ts';
import { Membership, Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { countMemberships } from '../../db/statements/projects/count-memberships.ts';
import { type ListedProject, listProjects } from '../../db/statements/projects/list-projects.ts';
import { notifyProjectChange } from '../../db/statements/projects/notify-project-change.ts';
import { readSetupState } from '../../db/statements/projects/read-setup-state.ts';
import type { ProjectKeys } from '../access/project-keys.ts';
import type { ChangeProjectBody } from '../schemas/projects.ts';
import { lockProjectAs, requireAdministrator, requireMember } from './project-access.ts';
import { requireUnchanged } from './require-unchanged.ts';

export interface ProjectsServiceOptions {
  orm: Orm;
  vault: KeyVault;
  projectKeys: ProjectKeys;
  /** 0 means unlimited. */
  projectsPerUser: number;
}

/** Methods that take a project throw DomainError `NOT_FOUND` for non-members. */
export function createProjectsService(options: ProjectsServiceOptions) {
  const { orm, vault, projectKeys, projectsPerUser } = options;

  return {
    list: async (userId: string) =>
      (await listProjects(orm.em.fork(), userId)).map((project) => withKeys(vault, project, project.role)),

    /**
     * Creates a project with both keys and the user as its owner.
     * @throws DomainError `CONFLICT` when the user has created, and owns, as many as allowed
     */
    create: async (userId: string, name: string) => {
      const membership = await orm.em.fork().transactional(async (em) => {
        await requireFewProjects(projectsPerUser, em, userId);
        const id = newId();
        const project = em.create(Project, { id, name, ...vault.createKeys(id).stored });
        return em.create(Membership, { project, user: userId, role: 'OWNER' });
      });
      return withKeys(vault, membership.project, membership.role);
    },

    /** @throws DomainError `CONFLICT` when it has changed since `seen` */
    change: async (userId: string, projectId: string, settings: ChangeProjectBody, seen?: Date) => {
      const membership = await orm.em.fork().transactional(async (em) => {
        const locked = await lockProjectAs(em, projectId, userId, requireMember);
        requireUnchanged(locked.project, seen);
        em.assign(locked.project, settings, { ignoreUndefined: true });
        await notifyProjectChange(em, projectId);
        return locked;
      });
      // The commit notifies this process too, but possibly after the response.
      projectKeys.forget(projectId);
      return withKeys(vault, membership.project, membership.role);
    },

    /**
     * Replaces both keys; the old ones stop working at once.
     * @throws DomainError `FORBIDDEN` for the role MEMBER
     */
    regenerateKeys: async (userId: string, projectId: string) => {
      const keys = vault.createKeys(projectId);
      await orm.em.fork().transactional(async (em) => {
        const { project } = await lockProjectAs(em, projectId, userId, requireAdministrator);
        em.assign(project, keys.stored);
        await notifyProjectChange(em, projectId);
      });
      projectKeys.forget(projectId);
      return { publicKey: keys.publicKey, secretKey: keys.secretKey };
    },

    setupState: async (userId: string, projectId: string) => {
      const em = orm.em.fork();
      await requireMember(em, projectId, userId);
      return readSetupState(em, projectId);
    },
  };
}

async function requireFewProjects(projectsPerUser: number, em: Em, userId: string): Promise<void> {
  if (projectsPerUser === 0) return;
  // Locked, so that concurrent calls can't exceed the limit.
  await lockRecord(em, User, { id: userId });
  // Those that others added the user to don't count: nobody asked the user.
  if ((await countMemberships(em, userId)).own < projectsPerUser) return;
  throw new DomainError('CONFLICT', `You have created ${projectsPerUser} projects, the maximum`, {
    details: { limit: projectsPerUser },
    suggestion: 'Delete one first, or ask the operator of this service to raise PROJECTS_PER_USER.',
  });
}

export type MemberProject = ReturnType<typeof withKeys>;

type StoredProject = Pick<Project, Exclude<keyof ListedProject, 'role'>>;

function withKeys(vault: KeyVault, project: StoredProject, role: ProjectRole) {
  return {
    project,
    role,
    publicKey: vault.openPublicKey(project.id, project.publicKeyEncrypted),
    secretKey: mayAdminister(role) ? vault.openSecretKey(project.id, project.secretKeyEncrypted) : undefined,
  };
}
