import { z } from 'zod';

/** A subscription as it is stored; instants as ISO 8601. */
export const storedSubscriptionSchema = z.object({
  id: z.string(),
  /** Stripe's word: `active`, `trialing`, `past_due`, `unpaid`, `paused`, `incomplete`, `canceled`, … */
  status: z.string(),
  priceId: z.string().nullable(),
  periodStart: z.iso.datetime().nullable(),
  periodEnd: z.iso.datetime().nullable(),
  /** When it ends, or has ended; null while it renews itself. */
  endsAt: z.iso.datetime().nullable(),
});

export type StoredSubscription = z.output<typeof storedSubscriptionSchema>;

const over = new Set(['canceled', 'incomplete_expired']);

/** Whether a subscription has ended for good; one that is past due or paused has not. */
export function isOver({ status }: Pick<StoredSubscription, 'status'>): boolean {
  return over.has(status);
}

/**
 * The one that counts of a customer's subscriptions: one that goes on before one that is over, and then the newest.
 */
export function currentSubscription<One extends { status: string; createdAt: Date }>(
  subscriptions: readonly One[],
): One | undefined {
  return [...subscriptions].sort(
    (a, b) => Number(isOver(a)) - Number(isOver(b)) || b.createdAt.getTime() - a.createdAt.getTime(),
  )[0];
}
