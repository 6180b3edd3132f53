export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

export const audienceTypes = ['ALL', 'SEGMENT', 'FILTERED'] as const;

export type CampaignAction = 'edit' | 'split' | 'send' | 'cancel' | 'delete';

export const unsentStatuses: readonly CampaignStatus[] = ['DRAFT', 'SCHEDULED'];

/** Statuses of campaigns that are not over: their templates and segments must not be deleted. */
export const openStatuses: readonly CampaignStatus[] = [...unsentStatuses, 'SENDING'];

/**
 * States that accept each action. `send` means both sending now and
 * scheduling: a scheduled campaign can be rescheduled or sent now.
 */
const accepted: Readonly<Record<CampaignAction, readonly CampaignStatus[]>> = {
  edit: unsentStatuses,
  split: ['DRAFT'],
  send: unsentStatuses,
  cancel: openStatuses,
  delete: ['DRAFT', 'SENT', 'CANCELLED'],
};

export function statesAccepting(action: CampaignAction): readonly CampaignStatus[] {
  return accepted[action];
}

export function canDo(action: CampaignAction, status: CampaignStatus): boolean {
  return accepted[action].includes(status);
}

export const cancelledReason = 'the campaign was cancelled';
