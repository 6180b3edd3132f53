import { EntityRepository } from '@mikro-orm/postgresql';
import type { Invitation } from '../entities/invitation.ts';

export class InvitationRepository extends EntityRepository<Invitation> {
  listOpen(projectId: string): Promise<Invitation[]> {
    return this.find(
      { projectId, expiresAt: { $gt: new Date() } },
      { orderBy: { createdAt: 'asc', id: 'asc' } },
    );
  }

  async findOpen(tokenHash: Buffer): Promise<Invitation | undefined> {
    const invitation = await this.findOne({ tokenHash });
    return invitation?.isOpen() ? invitation : undefined;
  }
}
