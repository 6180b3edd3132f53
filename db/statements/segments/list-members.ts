import { countOrEstimate, type Total } from '../../count-or-estimate.ts';
import type { ListWindow } from '../../list-window.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { type ContactRow, contactColumns, contactRow } from '../contacts/contact-row.ts';

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
