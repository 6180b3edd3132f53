import { segmentAudience } from '../../conditions/audience.ts';
import { type CountableSegment, Segment, SegmentMember } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import { countAudience } from './audience-contacts.ts';

/** Counts the stored members of a static segment; evaluates a dynamic one for all contacts. */
export async function countMembers(em: Em, segment: CountableSegment): Promise<number> {
  if (segment.type === 'STATIC') return countStoredMembers(em, segment);
  const audience = await segmentAudience(em, segment.projectId, segment.id);
  if (audience === undefined) return 0;
  return keepCount(em, segment, await countAudience(em, segment.projectId, audience));
}

/** Like `countMembers`, ended by the statement timeout after `timeoutMs`. */
export const countMembersWithin = (em: Em, segment: CountableSegment, timeoutMs: number): Promise<number> =>
  em.transactional(async (inner) => {
    await execute(inner, `set local statement_timeout = ${timeoutMs}`);
    return countMembers(inner, segment);
  });

/** For a tracked dynamic segment: its rounds add up changes, but miss members that were deleted. */
export async function countStoredMembers(em: Em, segment: CountableSegment): Promise<number> {
  return keepCount(em, segment, await em.count(SegmentMember, { segmentId: segment.id }));
}

async function keepCount(em: Em, segment: CountableSegment, members: number): Promise<number> {
  await em.getRepository(Segment).keepCount(segment, members);
  return members;
}
