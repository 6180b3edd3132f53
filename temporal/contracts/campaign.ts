export interface CampaignInput {
  campaignId: string;
  /** Number of the last batch that earlier runs of the workflow have been through; 0 at first. */
  after: number;
}

/** Where a campaign stands, as the database says. */
export interface CampaignView {
  projectId: string;
  name: string;
  status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED';
  /** Milliseconds since the epoch; null unless scheduled. */
  dueAt: number | null;
  isFrozen: boolean;
  totalRecipients: number;
}

export interface CampaignBatchInput {
  campaignId: string;
  projectId: string;
  /** From 1. */
  batch: number;
}

/** What one round of a batch came to. */
export interface SendBatchResult {
  sent: number;
  /** Emails that are still to be sent. */
  queued: number;
  /** When to come back for them. */
  retryInMs: number;
  /** Emails that another run may be at work with, or that wait for the provider's event. */
  waiting: number;
}

/** Numbers of batches that are not over, in order, and whether there are more of them. */
export interface OpenBatches {
  numbers: number[];
  more: boolean;
}

export interface SettleCampaignResult {
  /** Emails that are to be sent once more. */
  queued: number;
  /** When the next look is worth it; 0 when nothing is waited for. */
  waitMs: number;
}

/** Short steps that touch the database only; each may be repeated at any time. */
export interface CampaignActivities {
  /** Null when there is no such campaign. */
  loadCampaign(input: { campaignId: string }): Promise<CampaignView | null>;
  /** Starts sending a scheduled campaign that is due, or cancels it beyond its limit. Answers whether it was due. */
  beginCampaign(input: { campaignId: string }): Promise<boolean>;
  /** Freezes pieces of the audience for a few seconds. Answers whether all of it is frozen. */
  freezeAudience(input: { campaignId: string }): Promise<boolean>;
  listOpenBatches(input: { campaignId: string; after: number; limit: number }): Promise<OpenBatches>;
  /** Judges what dead runs and unanswered calls have left open. */
  settleCampaign(input: { campaignId: string }): Promise<SettleCampaignResult>;
  /**
   * Cancels what has not left of a cancelled campaign, and judges what dead runs have left. Answers when the next
   * look is worth it, 0 when there is none to take.
   */
  cancelRemaining(input: { campaignId: string }): Promise<number>;
  /** Answers whether the campaign is over. */
  finishCampaign(input: { campaignId: string }): Promise<boolean>;
}

export interface CampaignBatchActivities {
  /**
   * Claims what is queued of a batch, hands it over in bulk and records the outcome, for some seconds. Safe to run
   * again at any time, also beside another run: an email is handed over only by the run that holds its claim.
   */
  sendBatch(input: CampaignBatchInput): Promise<SendBatchResult>;
}

export const campaignWorkflow = 'campaign';
export const campaignBatchWorkflow = 'campaignBatch';
/** Says that the row of the campaign has changed; carries nothing, because the row is what counts. */
export const campaignChangedSignal = 'changed';

/** Where the batches of campaigns are sent: a queue of their own, so that nothing else waits behind them. */
export const campaignTaskQueue = (taskQueue: string) => `${taskQueue}-campaigns`;
