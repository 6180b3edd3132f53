import { EntityRepository } from '@mikro-orm/postgresql';
import type { CampaignBatch } from '../entities/campaign.ts';

export class CampaignBatchRepository extends EntityRepository<CampaignBatch> {
  /** Numbers of up to `limit` unfinished batches after `after`, ascending. */
  async listOpen(campaignId: string, after: number, limit: number): Promise<number[]> {
    const batches = await this.find(
      { campaignId, number: { $gt: after }, endedAt: null },
      { fields: ['number'], orderBy: { number: 'asc' }, limit },
    );
    return batches.map(({ number }) => number);
  }
}
