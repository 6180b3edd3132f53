import { z } from 'zod';
import type { Audience } from '../../conditions/audience.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import type { ListWindow } from '../../entities/list-window.ts';
import type { Em } from '../../orm.ts';
import { bindInto } from '../../sql.ts';
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

// A statement, because the condition is compiled to SQL.
export async function countAudience(em: Em, projectId: string, audience: Audience): Promise<number> {
  const parameters: unknown[] = [projectId];
  const where = audience.where(new Date(), bindInto(parameters), 'all');
  const sql = `select count(*)::int as count from contacts c where c.project_id = $1 and ${where}`;
  const [row] = await audienceQuery(em, 'all', z.object({ count: z.int() }), sql, parameters);
  return row?.count ?? 0;
}
