import { segmentAudience } from '../../conditions/audience.ts';
import { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import type { CountableSegment } from '../../repositories/segment-repository.ts';
import { countAudience } from './count-audience.ts';

export async function countMembers(em: Em, segment: CountableSegment): Promise<number> {
  const audience = await segmentAudience(em, segment.projectId, segment.id);
  if (audience === undefined) return 0;
  const members = await countAudience(em, segment.projectId, audience);
  await em.getRepository(Segment).keepCount(segment, members);
  return members;
}
