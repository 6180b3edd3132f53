import { z } from 'zod';
import { BillingLimit } from '../../entities/billing.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/**
 * Whether the recipients have to be counted before the campaign starts. Not in its transaction: counting reads the audience,
 * which may take as long as a statement may, and the journal of all projects would wait.
 */
export async function hasCampaignLimit(em: Em, projectId: string): Promise<boolean> {
  return (await em.getRepository(BillingLimit).ofProject(projectId)).campaigns !== null;
}

/**
 * Locks the month's remaining quota until the transaction ends.
 *
 * @returns null when there is no limit
 */
export async function lockCampaignQuota(em: Em, projectId: string) {
  const { campaigns: limit } = await em.getRepository(BillingLimit).ofProject(projectId);
  if (limit === null) return null;
  const sql = `select emails_left($1, 'campaigns', 0, null) as left`;
  const left = await queryValue(em, z.int().nullable(), sql, [projectId]);
  return left === null ? null : { left, limit };
}
