import type { Em } from '../../db/orm.ts';
import { countSendingProjects } from '../../db/repositories/campaigns/campaign-progress.ts';
import { returnSendSlots, takeSendSlots } from '../../db/repositories/emails/take-send-slots.ts';
import type { SendRates } from '../emails/reserve-slots.ts';

/** Emails of one batch that may leave now. */
export interface CampaignSlots {
  granted: number;
  /** When the n-th of them may leave, from when they were granted. */
  inMs(index: number): number;
  /** When asking again is worth it, if not all were granted. */
  retryInMs: number;
}

/**
 * What campaigns leave of a rate to transactional email. Together with the short horizon it keeps the bucket from
 * being taken for seconds ahead by what has no hurry.
 */
const shareOfCampaigns = 0.9;
const horizonSeconds = 1;

/** Who may take more than its share of the account looks for what is left over no more often than this. */
const leftOverPauseMs = 250;

/**
 * Takes permits for up to `wanted` emails of a campaign: of its project, then of the account. Projects that send at the
 * same time have the account in equal shares, however many batches of one are under way; what one does not use is
 * there for the others.
 */
export async function reserveCampaignSlots(
  em: Em,
  projectId: string,
  wanted: number,
  rates: SendRates,
): Promise<CampaignSlots> {
  let granted = wanted;
  let retryInMs = 0;
  const paces: { startInMs: number; rate: number }[] = [];

  async function take(bucket: string, limit: number): Promise<void> {
    if (granted === 0) return;
    const slots = await takeSendSlots(em, bucket, granted, limit, horizonSeconds);
    if (slots.granted < granted) retryInMs = Math.max(retryInMs, slots.retryInMs);
    granted = slots.granted;
    paces.push({ startInMs: slots.startInMs, rate: limit });
  }

  if (rates.project !== null) {
    await take(`${projectId}/campaigns`, rates.project * shareOfCampaigns);
    await take(projectId, rates.project);
  }
  if (rates.account !== null && granted > 0) {
    const rate = rates.account * shareOfCampaigns;
    const projects = await countSendingProjects(em);
    if (projects > 1) await takeShare(rate, projects);
    else await take('account/campaigns', rate);
    await take('account', rates.account);
  }

  /** Its share may be taken a second ahead, and whatever else is there only when it is there. */
  async function takeShare(rate: number, projects: number): Promise<void> {
    const own = `account/campaigns/${projectId}`;
    const ownRate = rate / projects;
    const share = await takeSendSlots(em, own, granted, ownRate, horizonSeconds);
    const taken = await takeSendSlots(em, 'account/campaigns', share.granted, rate, horizonSeconds);
    if (taken.granted < share.granted) {
      await returnSendSlots(em, own, share.granted - taken.granted, ownRate);
    }
    const more =
      taken.granted === share.granted && share.granted < granted
        ? await takeSendSlots(em, 'account/campaigns', granted - share.granted, rate, 0)
        : undefined;
    const total = taken.granted + (more?.granted ?? 0);
    if (total < granted) {
      retryInMs = Math.max(retryInMs, leftOverPauseMs, Math.min(share.retryInMs, taken.retryInMs));
    }
    if (taken.granted > 0) paces.push({ startInMs: taken.startInMs, rate });
    granted = total;
  }

  return {
    granted,
    inMs: (index) => Math.max(0, ...paces.map(({ startInMs, rate }) => startInMs + (index * 1000) / rate)),
    retryInMs,
  };
}
