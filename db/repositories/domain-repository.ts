import { EntityRepository } from '@mikro-orm/postgresql';
import type { Domain } from '../entities/domain.ts';
import { allProjects } from '../project-em.ts';

export class DomainRepository extends EntityRepository<Domain> {
  listAll(): Promise<Domain[]> {
    return this.find({}, { orderBy: { id: 'asc' } });
  }

  /**
   * Another project's domain of the same name that takes precedence: a verified one, else the oldest that has not
   * been checked yet.
   */
  findEarlierClaim(projectId: string, domain: string): Promise<Domain | null> {
    return this.findOne(
      { domain, projectId: { $ne: projectId }, $or: [{ status: 'verified' }, { checkedAt: null }] },
      { ...allProjects, orderBy: { status: 'desc', id: 'asc' } },
    );
  }

  async isClaimed(domain: string): Promise<boolean> {
    return (await this.count({ domain }, allProjects)) > 0;
  }

  async isVerifiedElsewhere({ id, domain }: Domain): Promise<boolean> {
    return (await this.count({ domain, id: { $ne: id }, status: 'verified' }, allProjects)) > 0;
  }
}
