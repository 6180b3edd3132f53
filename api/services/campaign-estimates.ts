import { Campaign } from '../../db/entities/campaign.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import { countRecipients } from '../../db/statements/campaigns/campaign-audience.ts';
import { keepCounts } from './counted-live.ts';

export function createCampaignEstimates(orm: Orm, countedLive?: number) {
  return keepCounts(
    orm,
    async (campaign: Campaign) => {
      const em = projectEm(orm, campaign.projectId);
      const recipients = await countRecipients(em, campaign);
      await em.getRepository(Campaign).recordEstimate(campaign.id, recipients);
      return recipients;
    },
    ({ id, updatedAt }) => `${id} ${updatedAt.getTime()}`,
    countedLive,
  );
}
