import { z } from 'zod';
import type { Em } from '../../../db/orm.ts';
import {
  type ComputationProgress,
  computationStart,
  computeSegment,
} from '../../../db/statements/segments/compute-segment.ts';
import type { SegmentChanges, TrackedSegment } from '../../contracts/segments.ts';

const progressSchema = z.object({
  added: z.number(),
  removed: z.number(),
  total: z.number(),
  after: z.object({ createdAt: z.iso.datetime(), id: z.uuid() }).nullable(),
});

/**
 * Computes a tracked segment, resuming from the last heartbeat of an earlier attempt. Idempotent for changes
 * made after that heartbeat.
 *
 * @param heartbeat details of that heartbeat
 * @param onBatch called after each batch with the details of the next heartbeat
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
