import { Campaign } from '../../db/entities/campaign.ts';
import type { Orm } from '../../db/orm.ts';
import { countRecipients } from '../../db/statements/campaigns/campaign-audience.ts';
import { keepCounts } from './counted-live.ts';

export function createCampaignEstimates(orm: Orm, countedLive?: number) {
  return keepCounts(
    orm,
    async (campaign: Campaign) => {
      const recipients = await countRecipients(orm.em.fork(), campaign);
      await orm.em.fork().getRepository(Campaign).recordEstimate(campaign.id, recipients);
      return recipients;
    },
    ({ id, updatedAt }) => `${id} ${updatedAt.getTime()}`,
    countedLive,
  );
}
