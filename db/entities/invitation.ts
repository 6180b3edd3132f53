import { defineEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { projectRoles } from '../../core/project-roles.ts';
import { createdAt, instant, primaryId } from './columns.ts';
import { Project } from './project.ts';
import { allProjects } from './project-em.ts';

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

export class InvitationRepository extends EntityRepository<Invitation> {
  listOpen(): Promise<Invitation[]> {
    return this.find({ expiresAt: { $gt: new Date() } }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  }

  async findOpen(tokenHash: Buffer): Promise<Invitation | undefined> {
    const invitation = await this.findOne({ tokenHash }, allProjects);
    return invitation?.isOpen() ? invitation : undefined;
  }
}
