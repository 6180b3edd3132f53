import { isStatementTimeout } from '../../../db/database-errors.ts';
import { withinTime } from '../../../db/limit-statements.ts';
import type { Em } from '../../../db/orm.ts';
import {
  findCampaignsToRecount,
  recountCampaign,
} from '../../../db/statements/campaigns/campaign-figures.ts';
import type { ProductMetrics } from '../../../runtime/product-metrics.ts';

/** With the last recount, below the time limit of the activity. */
const budgetMs = 2 * 60_000;
const slowRecountMs = 2 * 60_000;

/**
 * Recounts the campaigns that are due. Each recount reads all emails of its campaign, so the run ends after a while, and
 * a campaign that takes too long is left out; the next run begins with other ones.
 *
 * @returns how many were recounted, and the sum of the differences
 */
export async function recountCampaigns(
  em: Em,
  countMiscounts: ProductMetrics['countMiscounts'],
  recount = (id: string) => withinTime(em, slowRecountMs, (own) => recountCampaign(own, id)),
): Promise<{ campaigns: number; differences: number }> {
  const until = performance.now() + budgetMs;
  const result = { campaigns: 0, differences: 0 };
  for (const id of await findCampaignsToRecount(em)) {
    if (performance.now() > until) break;
    try {
      const differences = await recount(id);
      countMiscounts(differences);
      result.differences += differences;
      result.campaigns += 1;
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
    }
  }
  return result;
}
