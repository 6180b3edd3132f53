import type { CampaignStatus } from '../../core/campaign-state.ts';

export interface CampaignInput {
  campaignId: string;
  after: number;
}

export interface CampaignView {
  projectId: string;
  name: string;
  status: CampaignStatus;
  /** Epoch milliseconds; null unless scheduled. */
  dueAt: number | null;
  isFrozen: boolean;
  totalRecipients: number;
}

export interface CampaignBatchInput {
  campaignId: string;
  projectId: string;
  batch: number;
}

export interface SendBatchResult {
  sent: number;
  queued: number;
  retryInMs: number;
  waiting: number;
  /** Why emails stayed open in this run, if it knows. */
  reason?: string;
}

export interface OpenBatches {
  numbers: number[];
  more: boolean;
}

export interface SettleCampaignResult {
  queued: number;
  /** Delay before settling again; 0 when nothing is pending. */
  waitMs: number;
}

/** Short database-only steps; each is idempotent. */
export interface CampaignActivities {
  loadCampaign(input: { campaignId: string }): Promise<CampaignView | null>;
  /** Starts a scheduled campaign that is due, or cancels it when it may not be sent. Resolves to whether it was due. */
  beginCampaign(input: { campaignId: string }): Promise<boolean>;
  /** Freezes pieces of the audience for a few seconds. Resolves to whether the freeze is complete. */
  freezeAudience(input: { campaignId: string }): Promise<boolean>;
  listOpenBatches(input: { campaignId: string; after: number; limit: number }): Promise<OpenBatches>;
  settleCampaign(input: { campaignId: string }): Promise<SettleCampaignResult>;
  /**
   * Cancels the unsent emails of a canceled campaign and settles emails left open by dead runs. Resolves to the delay
   * in ms before the next attempt, 0 when nothing is pending.
   */
  cancelRemaining(input: { campaignId: string }): Promise<number>;
  finishCampaign(input: { campaignId: string }): Promise<boolean>;
}

export interface CampaignBatchActivities {
  /**
   * Claims queued emails of a batch, hands them over in bulk and records the outcome, for several seconds. Idempotent
   * and safe to run concurrently: only the run that holds an email's claim hands it over.
   */
  sendBatch(input: CampaignBatchInput): Promise<SendBatchResult>;
}

export const campaignWorkflow = 'campaign';
export const campaignBatchWorkflow = 'campaignBatch';
/** Carries no data: the campaign's row is authoritative. */
export const campaignChangedSignal = 'changed';
