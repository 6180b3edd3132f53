import type { Segment } from '../../db/entities/segment.ts';
import type { SegmentAnswer } from '../schemas/answers/segment.ts';

export function presentSegment(segment: Segment): SegmentAnswer {
  return {
    id: segment.id,
    name: segment.name,
    slug: segment.slug,
    description: segment.description ?? null,
    type: segment.type,
    condition: segment.condition ?? null,
    trackMembership: segment.trackMembership,
    memberCount: segment.memberCount,
    projectId: segment.projectId,
    createdAt: segment.createdAt.toISOString(),
    updatedAt: segment.updatedAt.toISOString(),
  };
}
