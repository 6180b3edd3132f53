import { defineEntity, p } from '@mikro-orm/core';
import { audienceTypes, campaignStatuses } from '../../core/campaign-state.ts';
import { recordOf } from '../../core/record-of.ts';
import { activeCampaignStatusesSql } from '../fragments/active-statuses-sql.ts';
import { campaignFigures } from '../fragments/campaign-figures-sql.ts';
import { CampaignBatchRepository } from '../repositories/campaign-batch-repository.ts';
import { CampaignRepository } from '../repositories/campaign-repository.ts';
import { contentColumns, createdAt, instant, updatedAt } from './columns.ts';

const CampaignSchema = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  repository: () => CampaignRepository,
  indexes: [
    { name: 'campaigns_project', properties: ['projectId', 'createdAt', 'id'] },
    {
      name: 'campaigns_open',
      properties: ['status', 'scheduledFor'],
      where: `status in ${activeCampaignStatusesSql}`,
    },
  ],
  properties: {
    ...contentColumns(),
    status: p.enum(campaignStatuses).default('DRAFT'),
    audienceType: p.enum(audienceTypes),
    audienceCondition: p.json().$type<Record<string, unknown>>().nullable(),
    segmentId: p.uuid().nullable(),
    scheduledFor: instant().nullable(),
    totalRecipients: p.integer().default(0),
    recipientLimit: p.integer().nullable(),
    contentId: p.uuid().nullable(),
    /** Contacts created after this instant are not in the audience. */
    startedAt: instant().nullable(),
    /** Cursor of the freeze: creation time and id of the last matched contact. */
    frozenUntil: instant().nullable(),
    frozenContactId: p.uuid().nullable(),
    frozenAt: instant().nullable(),
    sentAt: instant().nullable(),
    cancelledAt: instant().nullable(),
    cancelReason: p.text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Campaign extends CampaignSchema.class {
  /** No email of the campaign is claimed after this commits. @param reason set when the service itself cancels it */
  cancel(reason: string | null = null): void {
    this.status = 'CANCELLED';
    this.cancelledAt = new Date();
    this.cancelReason = reason;
  }
}
CampaignSchema.setClass(Campaign);

const CampaignBatchSchema = defineEntity({
  name: 'CampaignBatch',
  tableName: 'campaign_batches',
  repository: () => CampaignBatchRepository,
  properties: {
    campaignId: p.uuid().primary(),
    number: p.integer().primary(),
    firstEmailId: p.uuid(),
    lastEmailId: p.uuid(),
    recipients: p.integer(),
    endedAt: instant().nullable(),
  },
});

/** A batch of recipients: the campaign's emails within a range of ids. */
export class CampaignBatch extends CampaignBatchSchema.class {}
CampaignBatchSchema.setClass(CampaignBatch);

const figures = () => recordOf(campaignFigures, () => p.integer().default(0));

const CampaignFiguresSchema = defineEntity({
  name: 'CampaignFigures',
  tableName: 'campaign_figures',
  properties: { campaignId: p.uuid().primary(), ...figures() },
});

/** Counters of a campaign as of the last fold; add the unfolded changes for the exact values. */
export class CampaignFigures extends CampaignFiguresSchema.class {}
CampaignFiguresSchema.setClass(CampaignFigures);

const CampaignFigureChangeSchema = defineEntity({
  name: 'CampaignFigureChange',
  tableName: 'campaign_figure_changes',
  properties: {
    campaignId: p.uuid().primary(),
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    ...figures(),
  },
});

/**
 * Counter changes, appended in the transaction of the state transition: inserts never contend for a row lock. A sweep
 * folds them.
 */
export class CampaignFigureChange extends CampaignFigureChangeSchema.class {}
CampaignFigureChangeSchema.setClass(CampaignFigureChange);
