/** What emails are counted and limited by. Tests of campaigns and emails about accounts are of none. */
export const billingCategories = ['transactional', 'campaigns', 'workflows'] as const;

export type BillingCategory = (typeof billingCategories)[number];

/** What a project may have of each category, or has. */
export type PerCategory<Value> = Record<BillingCategory, Value>;
