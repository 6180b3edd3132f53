import type { Loaded } from '@mikro-orm/core';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { mayAdminister, type ProjectRole } from '../../core/project-roles.ts';
import { Membership, Project } from '../../db/entities/project.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em } from '../../db/orm.ts';

export type ProjectMembership = Loaded<Membership, 'project'>;

/** @throws DomainError `NOT_FOUND`, not `FORBIDDEN`, for non-members */
export async function requireMember(em: Em, projectId: string, userId: string): Promise<ProjectMembership> {
  return orNotFound(await em.getRepository(Membership).findWithProject(projectId, userId), 'Project');
}

const requireRole =
  (admits: (role: ProjectRole) => boolean, admitted: string): typeof requireMember =>
  async (em, projectId, userId) => {
    const membership = await requireMember(em, projectId, userId);
    if (admits(membership.role)) return membership;
    throw new DomainError('FORBIDDEN', `Only an ${admitted} of the project may do this`);
  };

export const requireAdministrator = requireRole(mayAdminister, 'owner or admin');
export const requireOwner = requireRole((role) => role === 'OWNER', 'owner');

/**
 * Must run in a transaction. Locks the project and checks the membership before and after: before, so that non-members
 * can't take locks; after, because the member may just have been removed.
 * @param requireRole one of the functions above
 */
export async function lockProjectAs(
  em: Em,
  projectId: string,
  userId: string,
  requireRole: typeof requireMember,
): Promise<ProjectMembership> {
  await requireRole(em, projectId, userId);
  orNotFound(await lockRecord(em, Project, { id: projectId }), 'Project');
  return requireRole(em, projectId, userId);
}
