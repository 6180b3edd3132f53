import { defineEntity, p } from '@mikro-orm/core';
import { type BillingCategory, billingCategories } from '../../core/billing/categories.ts';
import type { StoredSubscription } from '../../core/billing/subscription.ts';
import { createdAt, instant, updatedAt } from './columns.ts';
import { Project } from './project.ts';

/** Emails of a category that a project may send or receive in a calendar month; without a row any number. */
export const BillingLimit = defineEntity({
  name: 'BillingLimit',
  tableName: 'billing_limits',
  properties: {
    projectId: () =>
      p
        .manyToOne(Project)
        .mapToPk()
        .fieldName('project_id')
        .primary()
        .updateRule('no action')
        .deleteRule('cascade'),
    category: p
      .text()
      .$type<BillingCategory>()
      .primary()
      .check(`category in ('${billingCategories.join("', '")}')`),
    emails: p.integer().check('emails >= 0'),
    updatedAt: updatedAt(),
  },
});

/** Emails by calendar month (UTC), in lanes that do not wait for each other: the figure is their sum. */
export const BillingUsage = defineEntity({
  name: 'BillingUsage',
  tableName: 'billing_usage',
  properties: {
    projectId: p.uuid().primary(),
    /** The first day of the month. */
    month: p.date().primary(),
    category: p.text().$type<BillingCategory>().primary(),
    lane: p.smallint().primary(),
    /** May be below 0 in a lane that gave back what was counted in another. */
    emails: p.integer(),
  },
});

/** A project's customer at Stripe; stays for a deleted project until its subscriptions have ended. */
export const BillingCustomer = defineEntity({
  name: 'BillingCustomer',
  tableName: 'billing_customers',
  properties: {
    projectId: p.uuid().primary(),
    customerId: p.text().unique(),
    /** The last one that was opened. */
    checkoutSessionId: p.text().nullable(),
    /** As Stripe told it last; null before the first. */
    subscription: p.json().$type<StoredSubscription>().nullable(),
    /** Rises with each change of `subscription`, so that what was asked before a change is not stored after it. */
    version: p.integer().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A notification of Stripe that has been applied. */
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
