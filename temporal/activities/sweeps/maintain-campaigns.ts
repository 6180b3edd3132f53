import type { Em } from '../../../db/orm.ts';
import { foldCampaignFigures } from '../../../db/statements/campaigns/fold-campaign-figures.ts';
import { findRecentCampaigns, recountCampaign } from '../../../db/statements/campaigns/recount-campaign.ts';
import { remindCampaigns } from '../../../db/statements/campaigns/remind-campaigns.ts';

export async function maintainCampaigns(em: Em): Promise<{ folded: number; reminded: number }> {
  return { folded: await foldCampaignFigures(em), reminded: await remindCampaigns(em) };
}

export async function recountCampaigns(em: Em): Promise<{ campaigns: number; differences: number }> {
  const campaigns = await findRecentCampaigns(em);
  let differences = 0;
  for (const id of campaigns) differences += await recountCampaign(em, id);
  return { campaigns: campaigns.length, differences };
}
