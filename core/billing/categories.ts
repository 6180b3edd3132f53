/** What emails that leave are counted and limited by. Tests of campaigns and emails about accounts are of none. */
export const sendingCategories = ['transactional', 'campaigns', 'workflows'] as const;

/** What emails are counted and limited by: those that leave, and those that come in. */
export const billingCategories = [...sendingCategories, 'inbound'] as const;

export type SendingCategory = (typeof sendingCategories)[number];
export type BillingCategory = (typeof billingCategories)[number];

/** What a project may have of each category, or has. */
export type PerCategory<Value> = Record<BillingCategory, Value>;
