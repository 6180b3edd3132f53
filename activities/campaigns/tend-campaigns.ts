import type { Em } from '../../db/orm.ts';
import {
  findRecentCampaigns,
  foldCampaignFigures,
  recountCampaign,
} from '../../db/repositories/campaigns/campaign-figures.ts';
import { remindCampaigns } from '../../db/repositories/campaigns/campaign-progress.ts';

/** Folds the figures of all campaigns, and sees to it that those under way are seen through. */
export async function tendCampaigns(em: Em): Promise<{ folded: number; reminded: number }> {
  return { folded: await foldCampaignFigures(em), reminded: await remindCampaigns(em) };
}

/** Counts the figures of the campaigns of the last days anew, and puts right what differs. */
export async function recountCampaigns(em: Em): Promise<{ campaigns: number; differences: number }> {
  const campaigns = await findRecentCampaigns(em);
  let differences = 0;
  for (const id of campaigns) differences += await recountCampaign(em, id);
  return { campaigns: campaigns.length, differences };
}
