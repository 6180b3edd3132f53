import { billingCategories, type PerCategory } from '../../core/billing/categories.ts';
import type { StoredSubscription } from '../../core/billing/subscription.ts';
import { orNotFound } from '../../core/errors.ts';
import { BillingCustomer, BillingLimit } from '../../db/entities/billing.ts';
import { Project } from '../../db/entities/project.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { type Consumption, readConsumption } from '../../db/statements/billing/read-consumption.ts';
import { notifyProjectChange } from '../../db/statements/projects/notify-project-change.ts';
import type { ProjectKeys } from '../access/project-keys.ts';
import { type BillingCaller, requireBillingAccess } from './billing-access.ts';

/** Emails per calendar month; null means unlimited. */
export type Limits = PerCategory<number | null>;

export interface BillingState {
  consumption: Consumption;
  limits: Limits;
  subscription: StoredSubscription | null;
}

type LimitChanges = { [Category in keyof Limits]?: number | null | undefined };

async function changeLimits(em: Em, projectId: string, changes: LimitChanges): Promise<void> {
  const limits = await em.find(BillingLimit, { projectId });
  for (const category of billingCategories) {
    const emails = changes[category];
    const limit = limits.find((one) => one.category === category);
    if (emails === undefined) continue;
    if (emails === null) {
      if (limit !== undefined) em.remove(limit);
    } else if (limit === undefined) em.create(BillingLimit, { projectId, category, emails });
    else limit.emails = emails;
  }
  await em.flush();
}

/** Works without a payment processor. All methods throw DomainError `NOT_FOUND` and `FORBIDDEN`. */
export function createBillingLimitsService(orm: Orm, projectKeys: ProjectKeys) {
  return {
    async read(caller: BillingCaller, projectId: string) {
      const em = orm.em.fork();
      await requireBillingAccess(em, caller, projectId);
      return em.getRepository(BillingLimit).ofProject(projectId);
    },

    /** Undefined leaves a limit unchanged. Takes effect in every process on commit. */
    async change(caller: BillingCaller, projectId: string, changes: LimitChanges) {
      const changed = await orm.em.fork().transactional(async (em) => {
        await requireBillingAccess(em, caller, projectId);
        orNotFound(await lockRecord(em, Project, { id: projectId }), 'Project');
        // Checked again under the lock: the member may just have been removed.
        await requireBillingAccess(em, caller, projectId);
        await changeLimits(em, projectId, changes);
        await notifyProjectChange(em, projectId);
        return em.getRepository(BillingLimit).ofProject(projectId);
      });
      projectKeys.forget(projectId);
      return changed;
    },

    async consumption(caller: BillingCaller, projectId: string) {
      const em = orm.em.fork();
      await requireBillingAccess(em, caller, projectId);
      const customer = await em.findOne(BillingCustomer, { projectId });
      return {
        consumption: await readConsumption(em, projectId),
        limits: await em.getRepository(BillingLimit).ofProject(projectId),
        subscription: customer?.readSubscription() ?? null,
      };
    },
  };
}
