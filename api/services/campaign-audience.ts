import { DomainError, notFound } from '../../core/errors.ts';
import type { Em } from '../../db/orm.ts';
import { findSegment, lockSegmentReferences } from '../../db/repositories/segments/segments.ts';
import type { CampaignBody } from '../schemas/campaigns.ts';
import { checkReferences, readCondition } from './segment-conditions.ts';

type AudienceParts = Pick<CampaignBody, 'audienceType' | 'segmentId' | 'audienceCondition'>;

/**
 * Lets an audience through that names what it needs. The segments that it refers to stay for as long as the
 * transaction lasts.
 *
 * @param campaignId of the campaign that it is for
 * @throws DomainError `BAD_REQUEST` for a part that is missing or a condition that is wrong, `NOT_FOUND` for a
 * segment that is not of the project
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
      if ((await findSegment(em, projectId, segmentId)) === undefined) throw notFound('Segment');
      return;
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
