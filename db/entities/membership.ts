import { defineEntity, p } from '@mikro-orm/core';
import { projectRoles } from '../../core/project-roles.ts';
import { MembershipRepository } from '../repositories/membership-repository.ts';
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
