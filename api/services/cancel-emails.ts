import type { Orm } from '../../db/orm.ts';
import { cancelBatches } from '../../db/repositories/campaigns/campaigns.ts';

/** A call cancels emails itself for at most this long. */
const cancelMs = 5_000;
const batchesAtOnce = 1;

/**
 * Cancels what has not left of a cancelled campaign, for some seconds.
 * @returns whether that was all
 */
export async function cancelEmails(orm: Orm, campaignId: string): Promise<boolean> {
  const deadline = Date.now() + cancelMs;
  let after: number | null = 0;
  while (after !== null && Date.now() < deadline) {
    after = await cancelBatches(orm.em.fork(), campaignId, after, batchesAtOnce);
  }
  return after === null;
}
