import { type StoredSubscription, storedSubscriptionSchema } from '../../../core/billing/subscription.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A project's customer at the payment processor. */
export interface BillingCustomerRecord {
  projectId: string;
  customerId: string;
  checkoutSessionId: string | null;
  subscription: StoredSubscription | null;
  version: number;
}

async function findBy(em: Em, column: 'project_id' | 'customer_id', value: string) {
  const [row] = await sql<Omit<BillingCustomerRecord, 'subscription'> & { subscription: unknown }>(
    em,
    `select project_id as "projectId", customer_id as "customerId", checkout_session_id as "checkoutSessionId",
       subscription, version
     from billing_customers where ${column} = $1`,
    [value],
  );
  if (row === undefined) return undefined;
  return { ...row, subscription: storedSubscriptionSchema.nullable().parse(row.subscription) };
}

export function findCustomer(em: Em, projectId: string): Promise<BillingCustomerRecord | undefined> {
  return findBy(em, 'project_id', projectId);
}

export function findCustomerById(em: Em, customerId: string): Promise<BillingCustomerRecord | undefined> {
  return findBy(em, 'customer_id', customerId);
}

/** Gives a project its customer, unless it has one or is gone. */
export async function addCustomer(em: Em, projectId: string, customerId: string): Promise<void> {
  await sql(
    em,
    `insert into billing_customers (project_id, customer_id) select id, $2 from projects where id = $1
     on conflict do nothing`,
    [projectId, customerId],
  );
}

/**
 * Replaces the page that a project pays at. @returns false when another one took the place of `previousId` meanwhile,
 * or the project is gone
 */
export async function replaceCheckout(
  em: Em,
  projectId: string,
  previousId: string | null,
  id: string,
): Promise<boolean> {
  const rows = await sql(
    em,
    `update billing_customers set checkout_session_id = $3, updated_at = now()
     where project_id = $1 and checkout_session_id is not distinct from $2
       and exists (select from projects where id = $1)
     returning 1`,
    [projectId, previousId, id],
  );
  return rows.length > 0;
}

/**
 * Stores what the processor said of a subscription, unless something was stored since `version` was read: what was
 * asked before may be older. @returns whether it was stored
 */
export async function storeSubscription(
  em: Em,
  { projectId, version }: Pick<BillingCustomerRecord, 'projectId' | 'version'>,
  subscription: StoredSubscription | null,
): Promise<boolean> {
  const rows = await sql(
    em,
    `update billing_customers set subscription = $3::jsonb, version = version + 1, updated_at = now()
     where project_id = $1 and version = $2 returning 1`,
    [projectId, version, subscription === null ? null : JSON.stringify(subscription)],
  );
  return rows.length > 0;
}

/** The customer of a project that is gone; undefined while it exists, and when it has none. */
export async function findOrphanedCustomer(em: Em, projectId: string): Promise<string | undefined> {
  const [row] = await sql<{ customerId: string }>(
    em,
    `select customer_id as "customerId" from billing_customers c
     where project_id = $1 and not exists (select from projects p where p.id = c.project_id)`,
    [projectId],
  );
  return row?.customerId;
}

export async function forgetCustomer(em: Em, projectId: string): Promise<void> {
  await sql(em, 'delete from billing_customers where project_id = $1', [projectId]);
}

/** Whether a notification has been applied. */
export async function isKnownEvent(em: Em, id: string): Promise<boolean> {
  return (await sql(em, 'select 1 from stripe_events where id = $1', [id])).length > 0;
}

/** Notes in the transaction that applies a notification that it was. @returns false when another one did */
export async function recordEvent(em: Em, event: { id: string; type: string }): Promise<boolean> {
  const rows = await sql(
    em,
    'insert into stripe_events (id, type) values ($1, $2) on conflict (id) do nothing returning 1',
    [event.id, event.type],
  );
  return rows.length > 0;
}
