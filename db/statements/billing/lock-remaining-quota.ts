import { z } from 'zod';
import type { BillingCategory } from '../../../core/billing/categories.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/**
 * Locks the project's remaining quota for this month until the transaction ends.
 *
 * @returns null when there is no limit
 */
export function lockRemainingQuota(
  em: Em,
  projectId: string,
  category: BillingCategory,
): Promise<number | null> {
  return queryValue(em, z.int().nullable(), 'select emails_left($1, $2, 0, null) as left', [
    projectId,
    category,
  ]);
}
