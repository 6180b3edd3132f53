import { Campaign } from '../../../db/entities/campaign.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import type { Orm } from '../../../db/orm.ts';

export type CampaignWatch = ReturnType<typeof createCampaignWatch>;

/** Answers are cached for this long, so claimed emails can still leave up to 100 ms after a cancel. */
const freshMs = 100;

export function createCampaignWatch(orm: Orm) {
  const known = new Map<string, { at: number; isSending: Promise<boolean> }>();
  return {
    isSending(campaignId: string): Promise<boolean> {
      const now = performance.now();
      const last = known.get(campaignId);
      if (last !== undefined && now - last.at < freshMs) return last.isSending;
      for (const [id, { at }] of known) if (now - at > 60_000) known.delete(id);
      const isSending = orm.em
        .fork()
        .findOne(Campaign, campaignId, { fields: ['status'], ...allProjects })
        .then((campaign) => campaign?.status === 'SENDING');
      known.set(campaignId, { at: now, isSending });
      return isSending;
    },
    /** Records that a claim begun at `since` found emails, which proves that the campaign was sending. */
    noteClaim(campaignId: string, since: number): void {
      const last = known.get(campaignId);
      if (last === undefined || last.at < since)
        known.set(campaignId, { at: since, isSending: Promise.resolve(true) });
    },
  };
}
