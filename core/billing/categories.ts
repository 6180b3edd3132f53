import type { EmailSource } from '../email-state.ts';

/** Categories that sent emails are counted and limited by. Campaign tests and account emails belong to none. */
export const sendingCategories = ['transactional', 'campaigns', 'workflows'] as const;

export const billingCategories = [...sendingCategories, 'inbound'] as const;

export type SendingCategory = (typeof sendingCategories)[number];
export const sourceOfCategory: Readonly<Record<SendingCategory, EmailSource>> = {
  transactional: 'TRANSACTIONAL',
  campaigns: 'CAMPAIGN',
  workflows: 'WORKFLOW',
};

export type BillingCategory = (typeof billingCategories)[number];

export type PerCategory<Value> = Record<BillingCategory, Value>;
