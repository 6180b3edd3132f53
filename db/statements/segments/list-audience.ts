import type { Audience } from '../../conditions/audience.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { ListWindow } from '../../list-window.ts';
import type { Em } from '../../orm.ts';
import { type ContactRow, contactColumns, contactRow } from '../contacts/contact-row.ts';

/** From this offset on, reading all contacts once costs less than following an index from one to the next. */
const deepOffset = 10_000;

/**
 * A page of an audience, newest first. Stops at the end of the page, so the cost depends on how rare matches are. Sorts
 * only ids and reads rows for the page alone.
 */
export function listAudience(
  em: Em,
  projectId: string,
  audience: Audience,
  { limit, offset, after }: ListWindow,
): Promise<ContactRow[]> {
  const parameters: unknown[] = [projectId, limit, offset];
  const bind = bindInto(parameters);
  const reach = offset < deepOffset ? 'few' : 'all';
  const where = audience.where(new Date(), bind, reach);
  const behind = after
    ? `(c.created_at, c.id) < (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)`
    : 'true';
  const sql = `select ${contactColumns} from contacts where id in (
       select c.id from contacts c where c.project_id = $1 and ${behind} and ${where}
       order by c.created_at desc, c.id desc limit $2 offset $3
     ) order by created_at desc, id desc`;
  return audienceQuery(em, reach, contactRow, sql, parameters);
}
