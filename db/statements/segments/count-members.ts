import { z } from 'zod';
import { segmentAudience } from '../../conditions/audience.ts';
import { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import type { CountableSegment } from '../../repositories/segment-repository.ts';
import { query } from '../../sql.ts';
import { countAudience } from './count-audience.ts';

export async function countMembers(em: Em, segment: CountableSegment): Promise<number> {
  const audience = await segmentAudience(em, segment.projectId, segment.id);
  if (audience === undefined) return 0;
  const members = await countAudience(em, segment.projectId, audience);
  await em.getRepository(Segment).keepCount(segment, members);
  return members;
}

/** Of a tracked dynamic segment: its rounds add up what changes, but not the contacts that were deleted. */
export async function countStoredMembers(em: Em, segment: CountableSegment): Promise<void> {
  const [row] = await query(
    em,
    z.object({ members: z.int() }),
    'select count(*)::int as members from segment_members where segment_id = $1',
    [segment.id],
  );
  await em.getRepository(Segment).keepCount(segment, row?.members ?? 0);
}
