import type { z } from 'zod';
import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { type CampaignCounters, campaignRates } from '../../core/campaign-rates.ts';
import type { AudienceOutcome } from '../../db/statements/campaigns/count-audience-outcome.ts';
import type { CountedCampaign } from '../../db/statements/campaigns/read-campaign-counters.ts';
import { workflowIds } from '../../temporal/contracts/workflow-ids.ts';
import { campaignSchema, type campaignStatsSchema } from '../schemas/campaigns.ts';
import type { TemporalRuns } from '../services/temporal-runs.ts';
import { present } from './present.ts';

function progressOf({ campaign, counters }: CountedCampaign): number | null {
  if (campaign.status !== 'SENDING') return null;
  if (!campaign.frozenAt || campaign.totalRecipients === 0) return 0;
  const share = (counters.sent + counters.held) / campaign.totalRecipients;
  return Math.min(100, Math.floor(share * 1000) / 10);
}

/** The counters are read after the campaign; meanwhile, the freeze may have added recipients who have been sent to. */
const recipientsOf = ({ campaign, counters }: CountedCampaign) =>
  Math.max(campaign.totalRecipients, counters.sent + counters.held);

function pausedReasonOf({ campaign, pause }: CountedCampaign): string | null {
  switch (pause) {
    case null:
      return null;
    case 'project disabled':
      return 'Paused while the project is disabled';
    case 'domain not verified':
      return `Paused while the domain ${domainOfAddress(campaign.fromEmail)} is not verified`;
  }
}

export const presentAudience = ({ total, recipients, ...excluded }: AudienceOutcome) => ({
  total,
  recipients,
  excluded,
});

const presentCounters = (counters: CampaignCounters) => ({
  sentCount: counters.sent,
  deliveredCount: counters.delivered,
  openedCount: counters.opened,
  clickedCount: counters.clicked,
  bouncedCount: counters.bounced,
  complainedCount: counters.complained,
  unsubscribedCount: counters.unsubscribed,
});

export const presentFigures = (counters: CampaignCounters) => ({
  ...presentCounters(counters),
  ...campaignRates(counters),
});

export function presentCampaign(counted: CountedCampaign, runs: TemporalRuns) {
  const { campaign, counters } = counted;
  return present(campaignSchema, {
    ...campaign,
    from: campaign.fromEmail,
    pausedReason: pausedReasonOf(counted),
    ...runs(campaign.status === 'DRAFT' ? null : workflowIds.ofSubject('campaign', campaign.id)),
    progress: progressOf(counted),
    totalRecipients: recipientsOf(counted),
    ...presentCounters(counters),
  });
}

export function presentCampaignStats(counted: CountedCampaign): z.output<typeof campaignStatsSchema> {
  return { totalRecipients: recipientsOf(counted), ...presentFigures(counted.counters) };
}
