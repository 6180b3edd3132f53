import type { CampaignView, OpenBatches } from '../contracts/campaign.ts';

/** Batches that are sent at the same time. */
export const laneCount = 8;
/** Batches that one run of the workflow sends before it begins anew: their events have to fit its history. */
export const batchesPerRun = 500;

export type CampaignStep =
  | { do: 'end' }
  | { do: 'wait'; ms: number }
  | { do: 'begin' }
  | { do: 'freeze' }
  | { do: 'send' }
  | { do: 'cancel' };

/** What to do with a campaign that stands like this; null: there is none. */
export function nextStep(view: CampaignView | null, now: number): CampaignStep {
  switch (view?.status) {
    case undefined:
    case 'DRAFT':
    case 'SENT':
      return { do: 'end' };
    case 'CANCELLED':
      return { do: 'cancel' };
    case 'SCHEDULED': {
      const ms = (view.dueAt ?? now) - now;
      return ms > 0 ? { do: 'wait', ms } : { do: 'begin' };
    }
    case 'SENDING':
      return view.isFrozen ? { do: 'send' } : { do: 'freeze' };
  }
}

export type SendingStep =
  /** Send these batches, and then begin a new run of the workflow or look for more. */
  | { do: 'batches'; batches: number[]; last: number; startsNewRun: boolean }
  /** All were sent once: judge what they have left open. */
  | { do: 'settle' }
  | { do: 'finish' };

/**
 * How to go on with sending.
 *
 * @param open the open batches after number `after`
 */
export function nextSendingStep({ numbers, more }: OpenBatches, after: number): SendingStep {
  const last = numbers.at(-1);
  if (last !== undefined) return { do: 'batches', batches: numbers, last, startsNewRun: more };
  return after > 0 ? { do: 'settle' } : { do: 'finish' };
}

/** For the Temporal UI. */
export function describeCampaign(
  view: Pick<CampaignView, 'status' | 'totalRecipients'>,
  progress: { ended: number; ofBatches: number },
): string {
  const batches = `**${progress.ended}** of **${progress.ofBatches}** open batches are through`;
  return `The campaign is **${view.status}** with **${view.totalRecipients}** recipients; ${batches}.`;
}
