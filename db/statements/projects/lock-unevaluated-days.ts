import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({ projectId: z.uuid(), day: z.string() });

export type EmailDay = z.output<typeof row>;

/**
 * Locks days whose figures changed since their project was last evaluated, in a transaction. Ordered by project; skips
 * days locked by others.
 *
 * @param after last project of the previous page
 */
export function lockUnevaluatedDays(em: Em, after: string, limit: number): Promise<EmailDay[]> {
  const sql = `select project_id as "projectId", day::text as day from project_email_days
     where not judged and project_id > $1 order by project_id, day limit $2 for update skip locked`;
  return query(em, row, sql, [after, limit]);
}
