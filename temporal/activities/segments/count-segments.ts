import { Segment } from '../../../db/entities/segment.ts';
import type { Em } from '../../../db/orm.ts';
import { countMembers, countStoredMembers } from '../../../db/statements/segments/count-members.ts';
import type { SegmentCounts } from '../../contracts/segments.ts';

const segmentsPerActivity = 50;

export async function countSegments(em: Em, before: Date, signal: AbortSignal): Promise<SegmentCounts> {
  const repository = em.getRepository(Segment);
  const segments = await repository.listToCount(before, segmentsPerActivity);
  let failed = 0;
  for (const segment of segments) {
    signal.throwIfAborted();
    try {
      if (segment.isCurrent) await countStoredMembers(em, segment);
      else await countMembers(em, segment);
    } catch {
      // When the database is unreachable this fails too, and Temporal retries the activity.
      await repository.postponeCount(segment.id);
      failed += 1;
    }
  }
  return { counted: segments.length - failed, failed, hasMore: segments.length === segmentsPerActivity };
}
