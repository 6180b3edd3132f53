import { EntityRepository } from '@mikro-orm/postgresql';
import type { BillingCategory, PerCategory } from '../../core/billing/categories.ts';
import type { BillingLimit } from '../entities/billing.ts';

export class BillingLimitRepository extends EntityRepository<BillingLimit> {
  async ofProject(projectId: string): Promise<PerCategory<number | null>> {
    const limits = await this.find({ projectId }, { refresh: true });
    const of = (category: BillingCategory) => limits.find((one) => one.category === category)?.emails ?? null;
    return {
      transactional: of('transactional'),
      campaigns: of('campaigns'),
      workflows: of('workflows'),
      inbound: of('inbound'),
    };
  }
}
