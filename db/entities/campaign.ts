import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { CampaignStatus } from '../../core/campaign-state.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';
import type { ContentType } from './email.ts';
export type AudienceType = 'ALL' | 'SEGMENT' | 'FILTERED';

/** A broadcast to an audience (API contract, "Campaign"). Its counters are in `campaign_figures`. */
export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  indexes: [
    { name: 'campaigns_project', properties: ['projectId', 'createdAt', 'id'] },
    {
      name: 'campaigns_open',
      expression: `create index campaigns_open on campaigns (status, scheduled_for) where status in ('SCHEDULED', 'SENDING')`,
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    /** Liquid. */
    subject: p.text(),
    /** HTML with Liquid. */
    body: p.text(),
    fromEmail: p.text(),
    fromName: p.text().nullable(),
    replyTo: p.text().nullable(),
    type: p.text().$type<ContentType>().check(`type in ('TRANSACTIONAL', 'MARKETING', 'HEADLESS')`),
    status: p
      .text()
      .$type<CampaignStatus>()
      .default('DRAFT')
      .check(`status in ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED')`),
    audienceType: p.text().$type<AudienceType>().check(`audience_type in ('ALL', 'SEGMENT', 'FILTERED')`),
    /** The condition tree as it was sent; null unless FILTERED. */
    audienceCondition: p.json().$type<Record<string, unknown>>().nullable(),
    /** Null unless SEGMENT. */
    segmentId: p.uuid().nullable(),
    scheduledFor: instant().nullable(),
    /** Before the audience is frozen the estimate of the last create, update or get. */
    totalRecipients: p.integer().default(0),
    /** Most recipients, where the project has a limit: as many as there were when it was sent. */
    recipientLimit: p.integer().nullable(),
    /** What is sent, as it was when sending started. */
    contentId: p.uuid().nullable(),
    /** When sending started: contacts created later are not in the audience. */
    startedAt: instant().nullable(),
    /** How far the freeze has come: the last contact looked at, by creation and id. */
    frozenUntil: instant().nullable(),
    frozenContactId: p.uuid().nullable(),
    /** When the freeze was complete. */
    frozenAt: instant().nullable(),
    sentAt: instant().nullable(),
    cancelledAt: instant().nullable(),
    /** Why the service itself cancelled it. */
    cancelReason: p.text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type CampaignRow = InferEntity<typeof Campaign>;

/** Recipients that are sent to together: the emails of a campaign whose ids are in a range. */
export const CampaignBatch = defineEntity({
  name: 'CampaignBatch',
  tableName: 'campaign_batches',
  properties: {
    campaignId: p.uuid().primary(),
    /** From 1. */
    number: p.integer().primary(),
    firstEmailId: p.uuid(),
    lastEmailId: p.uuid(),
    recipients: p.integer(),
    /** When none of its emails was left to be sent or to be settled. */
    endedAt: instant().nullable(),
  },
});

const counter = () => p.integer().default(0);

const counters = () => ({
  sent: counter(),
  delivered: counter(),
  opened: counter(),
  clicked: counter(),
  bounced: counter(),
  complained: counter(),
  unsubscribed: counter(),
  /** Ended without leaving: FAILED, SUPPRESSED or CANCELLED. */
  held: counter(),
});

/** Counters of a campaign as of the last fold; exact together with the changes that are not folded yet. */
export const CampaignFigures = defineEntity({
  name: 'CampaignFigures',
  tableName: 'campaign_figures',
  properties: { campaignId: p.uuid().primary(), ...counters() },
});

/**
 * Changes of the counters, appended in the transaction of the transitions: rows that are only added make no two
 * writers wait for each other. A sweep folds them.
 */
export const CampaignFigureChange = defineEntity({
  name: 'CampaignFigureChange',
  tableName: 'campaign_figure_changes',
  properties: {
    campaignId: p.uuid().primary(),
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    ...counters(),
  },
});
