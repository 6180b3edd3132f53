import { EntityRepository } from '@mikro-orm/postgresql';
import type { CampaignBatch } from '../entities/campaign.ts';

export class CampaignBatchRepository extends EntityRepository<CampaignBatch> {
  findOpen(
    campaignId: string,
    after: number,
    limit: number,
  ): Promise<Pick<CampaignBatch, 'number' | 'recipients'>[]> {
    return this.find(
      { campaignId, number: { $gt: after }, endedAt: null },
      { fields: ['number', 'recipients'], orderBy: { number: 'asc' }, limit },
    );
  }

  async findNumberOf(campaignId: string, emailId: string): Promise<number | undefined> {
    const batch = await this.findOne(
      { campaignId, firstEmailId: { $lte: emailId }, lastEmailId: { $gte: emailId } },
      { fields: ['number'] },
    );
    return batch?.number;
  }

  async listOpen(campaignId: string, after: number, limit: number): Promise<number[]> {
    return (await this.findOpen(campaignId, after, limit)).map(({ number }) => number);
  }
}
