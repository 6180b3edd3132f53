export type CampaignStatus = 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED';

/** What a user may do with a campaign, besides reading and copying it. */
export type CampaignAction = 'edit' | 'send' | 'cancel' | 'delete';

/**
 * The states from which each action is accepted (API contract, "Campaign status"). `send` is sending at once as
 * well as scheduling: a scheduled campaign may be moved, or sent now.
 */
const accepted: Readonly<Record<CampaignAction, readonly CampaignStatus[]>> = {
  edit: ['DRAFT', 'SCHEDULED'],
  send: ['DRAFT', 'SCHEDULED'],
  cancel: ['DRAFT', 'SCHEDULED', 'SENDING'],
  delete: ['DRAFT', 'SENT', 'CANCELLED'],
};

export function statesAccepting(action: CampaignAction): readonly CampaignStatus[] {
  return accepted[action];
}

export function canDo(action: CampaignAction, status: CampaignStatus): boolean {
  return accepted[action].includes(status);
}
