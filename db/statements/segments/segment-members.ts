import { z } from 'zod';
import { segmentAudience } from '../../conditions/audience.ts';
import { countOrEstimate, type Total } from '../../count-or-estimate.ts';
import type { ListWindow } from '../../entities/list-window.ts';
import { type CountableSegment, Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { query, queryValue } from '../../sql.ts';
import { type ContactRow, contactColumns, contactRow } from '../contacts/contact-row.ts';
import { countAudience } from './audience-contacts.ts';

/** A page of a segment's stored members, newest contact first: ids begin with the time of their creation. */
export function listMembers(
  em: Em,
  segmentId: string,
  { limit, offset, after }: ListWindow,
): Promise<ContactRow[]> {
  const sql = `select ${contactColumns} from contacts where id in (
       select contact_id from segment_members where segment_id = $1 ${after ? 'and contact_id < $4' : ''}
       order by contact_id desc limit $2 offset $3
     ) order by id desc`;
  return query(em, contactRow, sql, [segmentId, limit, offset, ...(after ? [after.id] : [])]);
}

export function countStaticMembers(em: Em, segmentId: string): Promise<Total> {
  return countOrEstimate(em, 'from segment_members where segment_id = $1', [segmentId]);
}

/** Counts the stored members of a static segment; evaluates a dynamic one for all contacts. */
export async function countMembers(em: Em, segment: CountableSegment): Promise<number> {
  if (segment.type === 'STATIC') return countStoredMembers(em, segment);
  const audience = await segmentAudience(em, segment.projectId, segment.id);
  if (audience === undefined) return 0;
  return keepCount(em, segment, await countAudience(em, segment.projectId, audience));
}

/** For a tracked dynamic segment: its rounds add up changes, but miss members that were deleted. */
export async function countStoredMembers(em: Em, segment: CountableSegment): Promise<number> {
  const sql = 'select count(*)::int from segment_members where segment_id = $1';
  return keepCount(em, segment, await queryValue(em, z.int(), sql, [segment.id]));
}

async function keepCount(em: Em, segment: CountableSegment, members: number): Promise<number> {
  await em.getRepository(Segment).keepCount(segment, members);
  return members;
}
