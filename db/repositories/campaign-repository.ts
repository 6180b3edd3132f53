import { EntityRepository, raw } from '@mikro-orm/postgresql';
import { type CampaignStatus, openStatuses, unsentStatuses } from '../../core/campaign-state.ts';
import type { Campaign } from '../entities/campaign.ts';
import { allProjects } from '../project-em.ts';
import { containsText, type ListOrder, listOrder } from './contains-text.ts';

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

  listPage(
    { status, search, body, ...order }: CampaignQuery,
    window: { limit: number; offset: number },
  ): Promise<[Campaign[], number]> {
    const except = body ? [] : ['body'];
    // as: callers that omit the body do not read it.
    return this.findAndCount(
      {
        ...(status && { status }),
        ...(search && { [containsText(['name', 'subject', 'from_email'], search)]: [] }),
      },
      { orderBy: listOrder(order), ...window, exclude: except as never[] },
    );
  }

  async findByDomain(domain: string, limit: number): Promise<{ id: string; name: string }[]> {
    const campaigns = await this.find(
      { status: { $in: openStatuses }, [raw(`split_part(from_email, '@', 2)`)]: domain },
      { fields: ['id', 'name'], orderBy: { createdAt: 'asc', id: 'asc' }, limit },
    );
    return campaigns.map(({ id, name }) => ({ id, name }));
  }

  /** Unfinished campaigns whose audience refers to the segment, oldest first. */
  async findBySegment(segmentId: string): Promise<{ id: string; name: string }[]> {
    const isInCondition = raw(`position(? in lower(audience_condition::text)) > 0`, [
      `"segment.${segmentId}"`,
    ]);
    const campaigns = await this.find(
      { status: { $in: openStatuses }, $or: [{ segmentId }, { [isInCondition]: [] }] },
      { fields: ['id', 'name'], orderBy: { createdAt: 'asc', id: 'asc' } },
    );
    return campaigns.map(({ id, name }) => ({ id, name }));
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
