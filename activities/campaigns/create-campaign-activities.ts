import type { Orm } from '../../db/orm.ts';
import {
  findOpenBatches,
  finishSending,
  readCampaignProgress,
} from '../../db/repositories/campaigns/campaign-progress.ts';
import { cancelBatches } from '../../db/repositories/campaigns/campaigns.ts';
import { freezeAudience } from '../../db/repositories/campaigns/freeze-audience.ts';
import {
  type BatchSeconds,
  noEvidence,
  readSendEventEvidence,
  type SendEventEvidence,
  settleBatch,
} from '../../db/repositories/campaigns/settle-campaign.ts';
import type { CampaignActivities, SettleCampaignResult } from '../../temporal/contracts/campaign.ts';
import { beginCampaign } from './begin-campaign.ts';

export interface CampaignActivityDependencies {
  orm: Orm;
  seconds: BatchSeconds;
  /** Called after a commit that may have left commands for Temporal or rows for the journal's reader. */
  committed: () => void;
}

/** Contacts that one transaction of the freeze looks at. */
const contactsPerPiece = 10_000;
/** A step works for at most this long. */
const stepMs = 4_000;
const batchesPerCancel = 2;
const batchesAtOnce = 1_000;

/** The steps of a campaign that touch the database only. */
export function createCampaignActivities(dependencies: CampaignActivityDependencies): CampaignActivities {
  const { orm, seconds, committed } = dependencies;

  /** @param findEvidence looks at all emails of the campaign, so it is for when something is open */
  async function settle(
    campaignId: string,
    findEvidence: () => Promise<SendEventEvidence>,
  ): Promise<SettleCampaignResult> {
    const result = { queued: 0, waitMs: 0 };
    const open = await findOpenBatches(orm.em.fork(), campaignId, 0, batchesAtOnce);
    if (open.length === 0) return result;
    const evidence = await findEvidence();
    for (const number of open) {
      const batch = await settleBatch(orm.em.fork(), campaignId, number, seconds, evidence);
      result.queued += batch.queued;
      if (batch.waiting === 0) continue;
      result.waitMs = result.waitMs === 0 ? batch.waitMs : Math.min(result.waitMs, batch.waitMs);
    }
    return result;
  }

  return {
    async loadCampaign({ campaignId }) {
      const progress = await readCampaignProgress(orm.em.fork(), campaignId);
      if (progress === undefined) return null;
      const { scheduledFor, ...rest } = progress;
      return { ...rest, dueAt: scheduledFor?.getTime() ?? null };
    },
    async beginCampaign({ campaignId }) {
      const hasBegun = await orm.em.fork().transactional((em) => beginCampaign(em, campaignId));
      if (hasBegun) committed();
      return hasBegun;
    },
    async freezeAudience({ campaignId }) {
      const until = Date.now() + stepMs;
      let isFrozen = false;
      while (!isFrozen && Date.now() < until) {
        isFrozen = await freezeAudience(orm.em.fork(), campaignId, contactsPerPiece);
      }
      return isFrozen;
    },
    async listOpenBatches({ campaignId, after, limit }) {
      const found = await findOpenBatches(orm.em.fork(), campaignId, after, limit + 1);
      return { numbers: found.slice(0, limit), more: found.length > limit };
    },
    async settleCampaign({ campaignId }) {
      return settle(campaignId, () => readSendEventEvidence(orm.em.fork(), campaignId, seconds));
    },
    async cancelRemaining({ campaignId }) {
      let after: number | null = 0;
      while (after !== null) after = await cancelBatches(orm.em.fork(), campaignId, after, batchesPerCancel);
      return (await settle(campaignId, async () => noEvidence)).waitMs;
    },
    async finishCampaign({ campaignId }) {
      const isFinished = await finishSending(orm.em.fork(), campaignId);
      if (isFinished) committed();
      return isFinished;
    },
  };
}
