import { z } from 'zod';
import type { BillingCategory } from '../../../core/billing/categories.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({ left: z.int().nullable() });

/**
 * Locks the project's remaining quota for this month until the transaction ends.
 *
 * @returns null when there is no limit
 */
export async function lockRemainingQuota(
  em: Em,
  projectId: string,
  category: BillingCategory,
): Promise<number | null> {
  const [limit] = await query(em, row, 'select emails_left($1, $2, 0, null) as left', [projectId, category]);
  return limit?.left ?? null;
}
