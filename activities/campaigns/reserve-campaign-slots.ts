import type { Em } from '../../db/orm.ts';
import { takeSendSlots } from '../../db/repositories/emails/take-send-slots.ts';
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

/** Takes permits for up to `wanted` emails of a campaign: of its project, then of the account. */
export async function reserveCampaignSlots(
  em: Em,
  projectId: string,
  wanted: number,
  rates: SendRates,
): Promise<CampaignSlots> {
  const limits = [
    { key: projectId, rate: rates.project },
    { key: 'account', rate: rates.account },
  ];
  let granted = wanted;
  let retryInMs = 0;
  const paces: { startInMs: number; rate: number }[] = [];
  for (const { key, rate } of limits) {
    if (rate === null) continue;
    for (const [bucket, limit] of [
      [`${key}/campaigns`, rate * shareOfCampaigns],
      [key, rate],
    ] as const) {
      if (granted === 0) break;
      const slots = await takeSendSlots(em, bucket, granted, limit, horizonSeconds);
      if (slots.granted < granted) retryInMs = Math.max(retryInMs, slots.retryInMs);
      granted = slots.granted;
      paces.push({ startInMs: slots.startInMs, rate: limit });
    }
  }
  return {
    granted,
    inMs: (index) => Math.max(0, ...paces.map(({ startInMs, rate }) => startInMs + (index * 1000) / rate)),
    retryInMs,
  };
}
