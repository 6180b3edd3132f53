import { LRUCache } from 'lru-cache';
import type { Orm } from '../../db/orm.ts';
import { countRecipients } from '../../db/repositories/campaigns/campaign-audience.ts';
import { type CampaignRecord, recordEstimate } from '../../db/repositories/campaigns/campaign-records.ts';
import { readAudienceFigures } from '../../db/repositories/contacts/contact-figures.ts';
import { contactsCountedLive } from './counted-live.ts';

/** How many recipients a campaign would have, which is kept in its row for lists. */
export type EstimateRecipients = (campaign: CampaignRecord) => Promise<number>;

const keptMs = 30_000;
const mostKept = 10_000;

/**
 * Counts the recipients of campaigns that are not frozen yet. In a large project the count of a campaign stands for half
 * a minute, and calls that ask at the same moment share it.
 */
export function createCampaignEstimates(orm: Orm, countedLive = contactsCountedLive): EstimateRecipients {
  async function count(campaign: CampaignRecord): Promise<number> {
    const recipients = await countRecipients(orm.em.fork(), campaign);
    await recordEstimate(orm.em.fork(), campaign.id, recipients);
    return recipients;
  }
  const kept = new LRUCache<string, number, CampaignRecord>({
    max: mostKept,
    ttl: keptMs,
    fetchMethod: (_key, _stale, { context }) => count(context),
  });
  return async (campaign) => {
    const { contacts } = await readAudienceFigures(orm.em.fork(), campaign.projectId);
    if (contacts <= countedLive) return count(campaign);
    // A change is counted at once.
    const key = `${campaign.id} ${campaign.updatedAt.getTime()}`;
    return (await kept.fetch(key, { context: campaign })) ?? count(campaign);
  };
}
