import { EntityRepository } from '@mikro-orm/postgresql';
import type { Invitation } from '../entities/invitation.ts';
import { allProjects } from '../project-em.ts';

export class InvitationRepository extends EntityRepository<Invitation> {
  listOpen(): Promise<Invitation[]> {
    return this.find({ expiresAt: { $gt: new Date() } }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  }

  async findOpen(tokenHash: Buffer): Promise<Invitation | undefined> {
    const invitation = await this.findOne({ tokenHash }, allProjects);
    return invitation?.isOpen() ? invitation : undefined;
  }
}
