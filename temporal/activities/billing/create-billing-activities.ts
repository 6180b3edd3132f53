import type { Orm } from '../../../db/orm.ts';
import type { BillingProvider } from '../../../providers/billing/billing-provider.ts';
import type { BillingEndActivities } from '../../contracts/billing-end.ts';
import { endBilling } from './end-billing.ts';

export interface BillingActivityDependencies {
  orm: Orm;
  billing: BillingProvider | null;
}

export function createBillingActivities({ orm, billing }: BillingActivityDependencies): BillingEndActivities {
  return {
    endBilling: ({ projectId }) => endBilling(orm.em.fork(), billing, projectId),
  };
}
