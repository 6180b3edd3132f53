import { z } from 'zod';

export const storedSubscriptionSchema = z.object({
  id: z.string(),
  /** Stripe's status: `active`, `trialing`, `past_due`, `unpaid`, `paused`, `incomplete`, `canceled`, … */
  status: z.string(),
  priceId: z.string().nullable(),
  periodStart: z.iso.datetime().nullable(),
  periodEnd: z.iso.datetime().nullable(),
  endsAt: z.iso.datetime().nullable(),
});

export type StoredSubscription = z.output<typeof storedSubscriptionSchema>;

const over = new Set(['canceled', 'incomplete_expired']);

export function isOver({ status }: Pick<StoredSubscription, 'status'>): boolean {
  return over.has(status);
}

/** Selects a customer's effective subscription: prefers those not over, then the newest. */
export function currentSubscription<One extends { status: string; createdAt: Date }>(
  subscriptions: readonly One[],
): One | undefined {
  return [...subscriptions].sort(
    (a, b) => Number(isOver(a)) - Number(isOver(b)) || b.createdAt.getTime() - a.createdAt.getTime(),
  )[0];
}
