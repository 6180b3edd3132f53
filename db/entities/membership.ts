import { defineEntity, p } from '@mikro-orm/core';
import { createdAt } from './columns.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

export const roles = ['OWNER', 'ADMIN', 'MEMBER'] as const;
export type Role = (typeof roles)[number];

/** A user's place in a project. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    role: p.text().$type<Role>().check(`role in ('OWNER', 'ADMIN', 'MEMBER')`),
    createdAt: createdAt(),
  },
});
