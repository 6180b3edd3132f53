import type { Audience } from '../../conditions/audience.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { Em } from '../../orm.ts';
import { type ContactRow, contactColumns, contactRow } from '../contacts/contact-row.ts';

/**
 * The newest members of an audience from one scan of the project, for small audiences: `listAudience` would test every
 * contact by index look-ups. The unindexed sort expression keeps the planner from doing so here.
 */
export function sampleAudience(
  em: Em,
  projectId: string,
  audience: Audience,
  limit: number,
): Promise<ContactRow[]> {
  const parameters: unknown[] = [projectId, limit];
  const where = audience.where(new Date(), bindInto(parameters), 'all');
  const sql = `select ${contactColumns} from contacts c where c.project_id = $1 and ${where}
     order by c.created_at + interval '0' desc, c.id desc limit $2`;
  return audienceQuery(em, 'all', contactRow, sql, parameters);
}
