import { DomainError, notFound } from '../../core/errors.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em } from '../../db/orm.ts';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';
import type { CampaignBody } from '../schemas/campaigns.ts';
import { checkReferences, readCondition, requireNoRing } from './segment-conditions.ts';

type AudienceParts = Pick<CampaignBody, 'audienceType' | 'segmentId' | 'audienceCondition'>;

/**
 * Checks that an audience is complete and valid. Locks the project's segment references until the transaction ends,
 * so that the segments it uses can't be deleted.
 * @throws DomainError `BAD_REQUEST` for a missing part or an invalid condition, `NOT_FOUND` for an unknown segment
 */
export async function requireAudience(
  em: Em,
  projectId: string,
  campaignId: string,
  { audienceType, segmentId, audienceCondition }: AudienceParts,
): Promise<void> {
  switch (audienceType) {
    case 'ALL':
      return;
    case 'SEGMENT':
      if (segmentId === undefined || segmentId === null) {
        throw new DomainError('BAD_REQUEST', 'segmentId is required when audienceType is SEGMENT');
      }
      await lockSegmentReferences(em, projectId);
      if ((await em.count(Segment, { id: segmentId })) === 0) throw notFound('Segment');
      return requireNoRing(em, campaignId, segmentId);
    case 'FILTERED':
      if (audienceCondition === undefined || audienceCondition === null) {
        throw new DomainError('BAD_REQUEST', 'audienceCondition is required when audienceType is FILTERED');
      }
      return checkReferences(
        em,
        projectId,
        campaignId,
        readCondition(audienceCondition, 'audienceCondition'),
      );
  }
}
