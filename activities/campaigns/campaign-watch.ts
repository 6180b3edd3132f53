import type { Orm } from '../../db/orm.ts';
import { readCampaignProgress } from '../../db/repositories/campaigns/campaign-progress.ts';

/** Tells whether a campaign is still sending. */
export type CampaignWatch = (campaignId: string) => Promise<boolean>;

/** How old an answer may be: so much may leave of what was claimed before a cancel. */
const freshMs = 100;

/** Asks the database once per campaign and moment, however many calls want to know. */
export function createCampaignWatch(orm: Orm): CampaignWatch {
  const known = new Map<string, { at: number; isSending: Promise<boolean> }>();
  return (campaignId) => {
    const now = Date.now();
    const last = known.get(campaignId);
    if (last !== undefined && now - last.at < freshMs) return last.isSending;
    for (const [id, { at }] of known) if (now - at > 60_000) known.delete(id);
    const isSending = readCampaignProgress(orm.em.fork(), campaignId).then(
      (progress) => progress?.status === 'SENDING',
    );
    known.set(campaignId, { at: now, isSending });
    return isSending;
  };
}
