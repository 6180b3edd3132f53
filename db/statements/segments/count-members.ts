import { z } from 'zod';
import { segmentAudience } from '../../conditions/audience.ts';
import { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import type { CountableSegment } from '../../repositories/segment-repository.ts';
import { query } from '../../sql.ts';
import { countAudience } from './count-audience.ts';

/** A static segment is counted by its stored members, a dynamic one among all contacts. */
export async function countMembers(em: Em, segment: CountableSegment): Promise<number> {
  if (segment.type === 'STATIC') return countStoredMembers(em, segment);
  const audience = await segmentAudience(em, segment.projectId, segment.id);
  if (audience === undefined) return 0;
  return keepCount(em, segment, await countAudience(em, segment.projectId, audience));
}

/** Of a tracked dynamic segment: its rounds add up what changes, but not the contacts that were deleted. */
export async function countStoredMembers(em: Em, segment: CountableSegment): Promise<number> {
  const [row] = await query(
    em,
    z.object({ members: z.int() }),
    'select count(*)::int as members from segment_members where segment_id = $1',
    [segment.id],
  );
  return keepCount(em, segment, row?.members ?? 0);
}

async function keepCount(em: Em, segment: CountableSegment, members: number): Promise<number> {
  await em.getRepository(Segment).keepCount(segment, members);
  return members;
}
