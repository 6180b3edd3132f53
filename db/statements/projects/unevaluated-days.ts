import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

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

// A statement, because it updates many rows by a composite key.
export async function markEvaluated(em: Em, days: readonly EmailDay[]): Promise<void> {
  const sql = `update project_email_days d set judged = true
     from unnest($1::uuid[], $2::date[]) as marked (project_id, day)
     where d.project_id = marked.project_id and d.day = marked.day`;
  await execute(em, sql, [days.map(({ projectId }) => projectId), days.map(({ day }) => day)]);
}
