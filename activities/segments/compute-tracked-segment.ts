import { z } from 'zod';
import type { Em } from '../../db/orm.ts';
import {
  type ComputationProgress,
  computationStart,
  computeSegment,
} from '../../db/repositories/segments/compute-segment.ts';
import type { SegmentChanges, TrackedSegment } from '../../temporal/contracts/segments.ts';

const progressSchema = z.object({
  added: z.number(),
  removed: z.number(),
  total: z.number(),
  after: z.object({ createdAt: z.iso.datetime(), id: z.uuid() }).nullable(),
});

/**
 * Computes a tracked segment, from where the last heartbeat of an earlier try was. What that try did after it is found
 * done.
 *
 * @param heartbeat details of that heartbeat
 * @param onBatch told after each batch what the next heartbeat should say
 */
export async function computeTrackedSegment(
  em: Em,
  { projectId, segmentId }: TrackedSegment,
  heartbeat: unknown,
  onBatch: (progress: ComputationProgress) => void,
): Promise<SegmentChanges | null> {
  const from = progressSchema.safeParse(heartbeat);
  const start = from.success ? from.data : computationStart;
  const result = await computeSegment(em, projectId, segmentId, start, onBatch);
  if (result === undefined) return null;
  return { added: result.added, removed: result.removed, total: result.total };
}
