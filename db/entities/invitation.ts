import { defineEntity, p } from '@mikro-orm/core';
import { projectRoles } from '../../core/project-roles.ts';
import { InvitationRepository } from '../repositories/invitation-repository.ts';
import { createdAt, instant, primaryId } from './columns.ts';
import { Project } from './project.ts';

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  repository: () => InvitationRepository,
  indexes: [{ name: 'invitations_email', properties: ['email'] }],
  uniques: [{ name: 'invitations_project_email', properties: ['projectId', 'email'] }],
  properties: {
    id: primaryId(),
    projectId: () =>
      p.manyToOne(Project).mapToPk().fieldName('project_id').updateRule('no action').deleteRule('cascade'),
    email: p.text(),
    role: p.enum(projectRoles),
    tokenHash: p.blob().unique(),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});

export class Invitation extends InvitationSchema.class {
  isOpen(): boolean {
    return this.expiresAt.getTime() > Date.now();
  }
}
InvitationSchema.setClass(Invitation);
