import type { Audience } from '../../conditions/audience.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { ListWindow } from '../../list-window.ts';
import type { Em } from '../../orm.ts';
import { type ContactRow, contactColumns, contactRow } from '../contacts/contact-row.ts';

/** A page of an audience, newest first. Stops at the end of the page, so the cost depends on how rare matches are. */
export function listAudience(
  em: Em,
  projectId: string,
  audience: Audience,
  { limit, offset, after }: ListWindow,
): Promise<ContactRow[]> {
  const parameters: unknown[] = [projectId, limit, offset];
  const bind = bindInto(parameters);
  const where = audience.where(new Date(), bind, 'few');
  const behind = after
    ? `(c.created_at, c.id) < (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)`
    : 'true';
  return audienceQuery(
    em,
    'few',
    contactRow,
    `select ${contactColumns} from contacts c where c.project_id = $1 and ${behind} and ${where}
     order by c.created_at desc, c.id desc limit $2 offset $3`,
    parameters,
  );
}
