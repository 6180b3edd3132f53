import { LRUCache } from 'lru-cache';
import { Campaign } from '../../db/entities/campaign.ts';
import type { Orm } from '../../db/orm.ts';
import { countRecipients } from '../../db/statements/campaigns/campaign-audience.ts';
import { readAudienceFigures } from '../../db/statements/contacts/read-contact-figures.ts';
import { contactsCountedLive } from './counted-live.ts';

export type EstimateRecipients = (campaign: Campaign) => Promise<number>;

const keptMs = 30_000;
const mostKept = 10_000;

/**
 * Estimates recipients until the audience is frozen. In large projects an estimate is cached for 30 seconds, and
 * concurrent calls share one count.
 */
export function createCampaignEstimates(orm: Orm, countedLive = contactsCountedLive): EstimateRecipients {
  async function count(campaign: Campaign): Promise<number> {
    const recipients = await countRecipients(orm.em.fork(), campaign);
    await orm.em.fork().getRepository(Campaign).recordEstimate(campaign.id, recipients);
    return recipients;
  }
  const kept = new LRUCache<string, number, Campaign>({
    max: mostKept,
    ttl: keptMs,
    fetchMethod: (_key, _stale, { context }) => count(context),
  });
  return async (campaign) => {
    const { contacts } = await readAudienceFigures(orm.em.fork(), campaign.projectId);
    if (contacts <= countedLive) return count(campaign);
    // `updatedAt` is part of the key, so that an edit triggers a new count.
    const key = `${campaign.id} ${campaign.updatedAt.getTime()}`;
    return (await kept.fetch(key, { context: campaign })) ?? count(campaign);
  };
}
