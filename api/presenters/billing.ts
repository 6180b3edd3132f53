import type { z } from 'zod';
import { type BillingCategory, billingCategories } from '../../core/billing/categories.ts';
import { recordOf } from '../../core/record-of.ts';
import type { consumptionSchema } from '../schemas/billing.ts';
import type { BillingState } from '../services/billing-limits.ts';

export function presentConsumption({
  consumption,
  limits,
  subscription,
}: BillingState): z.output<typeof consumptionSchema> {
  const present = (category: BillingCategory) => {
    const used = consumption.used[category];
    const most = limits[category];
    return { used, limit: most, remaining: most === null ? null : Math.max(0, most - used) };
  };
  return {
    period: { start: consumption.start.toISOString(), end: consumption.end.toISOString() },
    categories: recordOf(billingCategories, present),
    subscription: subscription && {
      status: subscription.status,
      priceId: subscription.priceId,
      currentPeriodStart: subscription.periodStart,
      currentPeriodEnd: subscription.periodEnd,
      endsAt: subscription.endsAt,
    },
  };
}
