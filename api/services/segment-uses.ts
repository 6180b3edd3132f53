import { segmentsOf } from '../../core/workflows/references.ts';
import type { Em } from '../../db/orm.ts';
import { findCampaignsOfSegment } from '../../db/repositories/campaigns/campaign-records.ts';
import { listReferringSegments } from '../../db/repositories/segments/segments.ts';
import { listReferringSteps, workflowsWith } from '../../db/repositories/workflows/workflow-uses.ts';

/** What refers to a segment and keeps it from being deleted, by kind. */
export interface SegmentUses {
  segments: { id: string; name: string }[];
  /** Those that are not over. */
  campaigns: { id: string; name: string }[];
  workflows: { id: string; name: string }[];
}

/**
 * Looks for everything that needs a segment to exist; kinds without any are left out. Whatever comes to refer to
 * segments is added here, and stores its reference under `lockSegmentReferences`.
 */
export async function findSegmentUses(
  em: Em,
  projectId: string,
  segmentId: string,
): Promise<Partial<SegmentUses>> {
  const uses: SegmentUses = {
    segments: await listReferringSegments(em, projectId, segmentId),
    campaigns: await findCampaignsOfSegment(em, projectId, segmentId),
    workflows: workflowsWith(await listReferringSteps(em, projectId), (step) =>
      segmentsOf(step).has(segmentId),
    ),
  };
  return Object.fromEntries(Object.entries(uses).filter(([, users]) => users.length > 0));
}
