import { defineEntity, type FilterQuery, p } from '@mikro-orm/core';
import { EntityRepository, raw } from '@mikro-orm/postgresql';
import {
  audienceTypes,
  type CampaignStatus,
  campaignStatuses,
  openStatuses,
  unsentStatuses,
} from '../../core/campaign-state.ts';
import { activeCampaignStatusesSql } from '../fragments/active-statuses-sql.ts';
import { containsText, type ListOrder, listOrder } from '../fragments/contains-sql.ts';
import { contentColumns, createdAt, instant, updatedAt } from './columns.ts';
import { allProjects } from './project-em.ts';

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
  /** What a copy has of it, whomever it is for. */
  content() {
    const { name, description, subject, body, fromEmail, fromName, replyTo, type } = this;
    return { name, description, subject, body, fromEmail, fromName, replyTo, type };
  }

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

export interface CampaignQuery extends ListOrder {
  status?: CampaignStatus | undefined;
  /** Case-insensitive substring of the name, subject or sender address. */
  search?: string | undefined;
  /** When false, `body` of the records is missing. */
  body: boolean;
}

export class CampaignRepository extends EntityRepository<Campaign> {
  /** Ids of up to `limit` SENDING campaigns of all projects, in the order of `campaigns_open`. */
  async listSending(except: readonly string[], limit: number): Promise<string[]> {
    const sending = await this.find(
      { status: 'SENDING', ...(except.length > 0 && { id: { $nin: [...except] } }) },
      { ...allProjects, fields: ['id'], orderBy: { scheduledFor: 'desc' }, limit },
    );
    return sending.map(({ id }) => id);
  }

  async listPage(
    { status, search, body, ...order }: CampaignQuery,
    window: { limit: number; offset: number },
  ): Promise<[Campaign[], number]> {
    const except = body ? [] : ['body'];
    const where: FilterQuery<Campaign> = {
      ...(status && { status }),
      ...(search && { [containsText(['name', 'subject', 'from_email'], search)]: [] }),
    };
    // as: callers that omit the body do not read it.
    const rows = await this.find(where, { orderBy: listOrder(order), ...window, exclude: except as never[] });
    // Not at the same time, as by `findAndCount`: a request's place stands for one connection.
    return [rows, await this.count(where)];
  }

  async findByDomain(domain: string, limit: number): Promise<{ id: string; name: string }[]> {
    const campaigns = await this.find(
      { status: { $in: openStatuses }, [raw(`split_part(from_email, '@', 2)`)]: domain },
      { fields: ['id', 'name'], orderBy: { createdAt: 'asc', id: 'asc' }, limit },
    );
    return campaigns.map(({ id, name }) => ({ id, name }));
  }

  /** Unfinished campaigns whose audience refers to the segment or campaign, oldest first. */
  async findReferring(kind: 'segment' | 'campaign', id: string): Promise<{ id: string; name: string }[]> {
    const isInCondition = raw(`position(? in lower(audience_condition::text)) > 0`, [`"${kind}.${id}"`]);
    const isSegment = kind === 'segment' ? [{ segmentId: id }] : [];
    const campaigns = await this.find(
      { status: { $in: openStatuses }, $or: [...isSegment, { [isInCondition]: [] }] },
      { fields: ['id', 'name'], orderBy: { createdAt: 'asc', id: 'asc' } },
    );
    return campaigns.map(({ id: campaignId, name }) => ({ id: campaignId, name }));
  }

  /** Campaigns that are still writing down their recipients, with the audience they evaluate. */
  findFreezing(): Promise<Pick<Campaign, 'id' | 'name' | 'segmentId' | 'audienceCondition'>[]> {
    return this.find(
      { status: 'SENDING', frozenAt: null },
      {
        fields: ['id', 'name', 'segmentId', 'audienceCondition'],
        orderBy: { createdAt: 'asc', id: 'asc' },
      },
    );
  }

  /** Campaigns that were deleted or belong to another project are left out. */
  findTitles(ids: readonly string[]): Promise<CampaignTitle[]> {
    return this.find({ id: { $in: ids } }, { fields: ['id', 'name', 'subject', 'status', 'sentAt'] });
  }

  /** Stores an estimate for lists until sending starts. Does not touch `updatedAt`. */
  async recordEstimate(id: string, totalRecipients: number): Promise<void> {
    await this.nativeUpdate(
      { id, status: { $in: unsentStatuses }, totalRecipients: { $ne: totalRecipients } },
      { totalRecipients },
    );
  }
}

export type CampaignTitle = Pick<Campaign, 'id' | 'name' | 'subject' | 'status' | 'sentAt'>;

export class CampaignBatchRepository extends EntityRepository<CampaignBatch> {
  /** Numbers of batches that have not ended, in order. */
  async listOpen(campaignId: string, after: number, limit: number): Promise<number[]> {
    const open = await this.find(
      { campaignId, number: { $gt: after }, endedAt: null },
      { fields: ['number'], orderBy: { number: 'asc' }, limit },
    );
    return open.map(({ number }) => number);
  }

  async findNumberOf(campaignId: string, emailId: string): Promise<number | undefined> {
    const batch = await this.findOne(
      { campaignId, firstEmailId: { $lte: emailId }, lastEmailId: { $gte: emailId } },
      { fields: ['number'] },
    );
    return batch?.number;
  }
}
