import type { CampaignView, OpenBatches } from '../contracts/campaign.ts';

/** Parallel batches of one campaign. */
export const batchesAtOnce = 8;
export const batchesPerRun = 500;

export type CampaignStep =
  | { do: 'end' }
  | { do: 'wait'; ms: number }
  | { do: 'begin' }
  | { do: 'freeze' }
  | { do: 'send' }
  | { do: 'cancel' };

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
  | { do: 'batches'; batches: number[]; last: number; startsNewRun: boolean }
  | { do: 'settle' }
  | { do: 'finish' };

export function nextSendingStep({ numbers, more }: OpenBatches, after: number): SendingStep {
  const last = numbers.at(-1);
  if (last !== undefined) return { do: 'batches', batches: numbers, last, startsNewRun: more };
  return after > 0 ? { do: 'settle' } : { do: 'finish' };
}

export function describeCampaign(
  { name, status, dueAt, totalRecipients }: CampaignView,
  progress?: { ended: number; ofBatches: number },
): string {
  const campaign = `The campaign **${name}** is **${status}**`;
  if (status === 'SCHEDULED') {
    const due =
      dueAt === null ? '' : ` for ${new Date(dueAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return `${campaign}${due}.`;
  }
  const batches =
    progress === undefined
      ? ''
      : `; **${progress.ended}** of **${progress.ofBatches}** open batches are through`;
  return `${campaign} with **${totalRecipients}** recipients${batches}.`;
}
