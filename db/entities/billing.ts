import { defineEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { billingCategories, type PerCategory } from '../../core/billing/categories.ts';
import {
  isOver,
  type StoredSubscription,
  storedSubscriptionSchema,
} from '../../core/billing/subscription.ts';
import { recordOf } from '../../core/record-of.ts';
import { createdAt, instant, updatedAt } from './columns.ts';
import { ofProject } from './project.ts';

const BillingLimitSchema = defineEntity({
  name: 'BillingLimit',
  tableName: 'billing_limits',
  repository: () => BillingLimitRepository,
  properties: {
    projectId: () => ofProject().primary(),
    category: p.enum(billingCategories).primary(),
    emails: p.integer().check('emails >= 0'),
    updatedAt: updatedAt(),
  },
});

/** Emails of a category that a project may send or receive per calendar month; unlimited without a row. */
export class BillingLimit extends BillingLimitSchema.class {}
BillingLimitSchema.setClass(BillingLimit);

const BillingCustomerSchema = defineEntity({
  name: 'BillingCustomer',
  tableName: 'billing_customers',
  properties: {
    projectId: p.uuid().primary(),
    customerId: p.text().unique(),
    checkoutSessionId: p.text().nullable(),
    /** As last reported by Stripe; null before the first report. */
    subscription: p.json().$type<StoredSubscription>().nullable(),
    /**
     * Incremented by each change of `subscription`: an optimistic lock that keeps a stale answer of Stripe from being
     * stored.
     */
    version: p.integer().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A project's customer at Stripe; kept after the project is deleted until its subscriptions have ended. */
export class BillingCustomer extends BillingCustomerSchema.class {
  currentSubscription(): StoredSubscription | null {
    const subscription = this.readSubscription();
    return subscription === null || isOver(subscription) ? null : subscription;
  }

  readSubscription(): StoredSubscription | null {
    return storedSubscriptionSchema.nullable().parse(this.subscription ?? null);
  }

  /** @returns false, changing nothing, when the version has changed since it was read */
  storeSubscription(subscription: StoredSubscription | null, version: number): boolean {
    if (this.version !== version) return false;
    this.subscription = subscription;
    this.version += 1;
    return true;
  }
}
BillingCustomerSchema.setClass(BillingCustomer);

export const StripeEvent = defineEntity({
  name: 'StripeEvent',
  tableName: 'stripe_events',
  indexes: [{ name: 'stripe_events_received', properties: ['receivedAt'] }],
  properties: {
    id: p.text().primary(),
    type: p.text(),
    receivedAt: instant()
      .onCreate(() => new Date())
      .defaultRaw('now()'),
  },
});

export class BillingLimitRepository extends EntityRepository<BillingLimit> {
  async ofProject(projectId: string): Promise<PerCategory<number | null>> {
    const limits = await this.find({ projectId }, { refresh: true });
    return recordOf(
      billingCategories,
      (category) => limits.find((one) => one.category === category)?.emails ?? null,
    );
  }
}
