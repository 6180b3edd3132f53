import type { Em } from '../../db/orm.ts';
import { countMembers } from '../../db/repositories/segments/segment-contacts.ts';
import { listSegmentsToCount, postponeCount } from '../../db/repositories/segments/segment-rounds.ts';
import type { SegmentCounts } from '../../temporal/contracts/segments.ts';

const segmentsPerActivity = 50;

/** Counts the segments whose count is the oldest, one after the other. */
export async function countSegments(em: Em, before: Date, signal: AbortSignal): Promise<SegmentCounts> {
  const segments = await listSegmentsToCount(em, before, segmentsPerActivity);
  let failed = 0;
  for (const segment of segments) {
    signal.throwIfAborted();
    try {
      await countMembers(em, segment);
    } catch {
      // When the database is away, this fails too, and with it the activity, which is tried again.
      await postponeCount(em, segment.id);
      failed += 1;
    }
  }
  return { counted: segments.length - failed, failed, hasMore: segments.length === segmentsPerActivity };
}
