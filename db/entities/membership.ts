import { defineEntity, type Loaded, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { type ProjectRole, projectRoles } from '../../core/project-roles.ts';
import { createdAt } from './columns.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

const MembershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  repository: () => MembershipRepository,
  properties: {
    project: () => p.manyToOne(Project).primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).primary().deleteRule('cascade').index(),
    role: p.enum(projectRoles),
    createdAt: createdAt(),
  },
});

export class Membership extends MembershipSchema.class {}
MembershipSchema.setClass(Membership);

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
