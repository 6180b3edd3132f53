import type { z } from 'zod';
import type { CampaignFigures, FiguresOfCampaign } from '../../analytics/questions/campaign-figures.ts';
import type { CampaignTitle } from '../../db/entities/campaign.ts';
import type { campaignFiguresSchema } from '../schemas/analytics.ts';
import { presentFigures } from './campaign.ts';

export function presentCampaignFigures(
  figures: FiguresOfCampaign,
  titles: ReadonlyMap<string, CampaignTitle>,
): z.output<typeof campaignFiguresSchema> {
  const title = titles.get(figures.campaignId);
  return {
    id: figures.campaignId,
    name: title?.name ?? null,
    subject: title?.subject ?? null,
    status: title?.status ?? null,
    sentAt: title?.sentAt?.toISOString() ?? null,
    ...presentFigures(figures),
  };
}

interface CampaignStats {
  campaigns: FiguresOfCampaign[];
  titles: ReadonlyMap<string, CampaignTitle>;
  totals: CampaignFigures;
}

export function presentCampaignStats({ campaigns, titles, totals }: CampaignStats) {
  return {
    data: campaigns.map((figures) => presentCampaignFigures(figures, titles)),
    totals: presentFigures(totals),
  };
}
