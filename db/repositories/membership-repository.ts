import type { Loaded } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import type { ProjectRole } from '../../core/project-roles.ts';
import type { Membership } from '../entities/membership.ts';

export class MembershipRepository extends EntityRepository<Membership> {
  /** Always reads from the database: the membership may have just been revoked. */
  findWithProject(projectId: string, userId: string): Promise<Loaded<Membership, 'project'> | null> {
    return this.findOne({ project: projectId, user: userId }, { populate: ['project'], refresh: true });
  }

  listWithProjects(userId: string): Promise<Loaded<Membership, 'project'>[]> {
    return this.find({ user: userId }, { populate: ['project'], orderBy: { project: { id: 'asc' } } });
  }

  listWithUsers(projectId: string, role?: ProjectRole): Promise<Loaded<Membership, 'user'>[]> {
    return this.find(
      { project: projectId, ...(role && { role }) },
      { populate: ['user'], orderBy: { createdAt: 'asc', user: 'asc' } },
    );
  }
}
