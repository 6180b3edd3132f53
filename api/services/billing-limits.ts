import type { PerCategory } from '../../core/billing/categories.ts';
import type { StoredSubscription } from '../../core/billing/subscription.ts';
import { notFound } from '../../core/errors.ts';
import type { Orm } from '../../db/orm.ts';
import { holdProject } from '../../db/repositories/accounts/memberships.ts';
import { findCustomer } from '../../db/repositories/billing/customers.ts';
import { changeLimits, readLimits } from '../../db/repositories/billing/limits.ts';
import { type Consumption, readConsumption } from '../../db/repositories/billing/usage.ts';
import type { ProjectKeys } from '../edge/project-keys.ts';
import { type BillingCaller, requireBillingAccess } from './billing-access.ts';

/** Emails of a calendar month by category; null for any number. */
export type Limits = PerCategory<number | null>;

export interface BillingState {
  consumption: Consumption;
  limits: Limits;
  /** Null before the first. */
  subscription: StoredSubscription | null;
}

/** Holds without a payment processor too. All: @throws DomainError `NOT_FOUND`, `FORBIDDEN` */
export interface BillingLimitsService {
  read(caller: BillingCaller, projectId: string): Promise<Limits>;
  /** What is undefined stays. Other processes hear of it as soon as it is committed. */
  change(
    caller: BillingCaller,
    projectId: string,
    limits: { [Category in keyof Limits]?: number | null | undefined },
  ): Promise<Limits>;
  consumption(caller: BillingCaller, projectId: string): Promise<BillingState>;
}

/** What a project has sent in a month, and what it may. */
export function createBillingLimitsService(orm: Orm, projectKeys: ProjectKeys): BillingLimitsService {
  return {
    async read(caller, projectId) {
      const em = orm.em.fork();
      await requireBillingAccess(em, caller, projectId);
      return readLimits(em, projectId);
    },

    async change(caller, projectId, limits) {
      const changed = await orm.em.fork().transactional(async (em) => {
        await requireBillingAccess(em, caller, projectId);
        if (!(await holdProject(em, projectId))) throw notFound('Project');
        // Whoever was removed a moment ago changes nothing any more.
        await requireBillingAccess(em, caller, projectId);
        await changeLimits(em, projectId, limits);
        return readLimits(em, projectId);
      });
      projectKeys.forget(projectId);
      return changed;
    },

    async consumption(caller, projectId) {
      const em = orm.em.fork();
      await requireBillingAccess(em, caller, projectId);
      const customer = await findCustomer(em, projectId);
      return {
        consumption: await readConsumption(em, projectId),
        limits: await readLimits(em, projectId),
        subscription: customer?.subscription ?? null,
      };
    },
  };
}
