import { segmentsOf } from '../../core/workflows/references.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em } from '../../db/orm.ts';
import { findReferringWorkflows } from './workflow-references.ts';

export interface SegmentUses {
  segments: { id: string; name: string }[];
  campaigns: { id: string; name: string }[];
  workflows: { id: string; name: string }[];
}

/**
 * Omits kinds without references. Add each new kind of reference here, and store it under `lockSegmentReferences`.
 */
export async function findSegmentUses(
  em: Em,
  projectId: string,
  segmentId: string,
): Promise<Partial<SegmentUses>> {
  const uses: SegmentUses = {
    segments: await em.getRepository(Segment).findReferring(projectId, segmentId),
    campaigns: await em.getRepository(Campaign).findBySegment(projectId, segmentId),
    workflows: await findReferringWorkflows(em, projectId, (step) => segmentsOf(step).has(segmentId)),
  };
  return Object.fromEntries(Object.entries(uses).filter(([, users]) => users.length > 0));
}
