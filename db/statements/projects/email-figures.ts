import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const figures = z.object({ sent: z.int(), bounced: z.int(), complained: z.int() });
const row = z.object({
  projectId: z.uuid(),
  week: figures,
  allTime: figures,
});

export type ProjectEmailFigures = z.output<typeof row>;

// A statement, because it aggregates a union.
export function readEmailFigures(em: Em, projectIds: readonly string[]): Promise<ProjectEmailFigures[]> {
  const sql = `select project_id as "projectId",
       json_build_object('sent', coalesce(sum(sent) filter (where recent), 0),
         'bounced', coalesce(sum(bounced) filter (where recent), 0),
         'complained', coalesce(sum(complained) filter (where recent), 0)) as week,
       json_build_object('sent', sum(sent), 'bounced', sum(bounced), 'complained', sum(complained)) as "allTime"
     from (
       select project_id, sent, bounced, complained, day > (now() at time zone 'UTC')::date - 7 as recent
       from project_email_days where project_id = any($1::uuid[])
       union all
       select project_id, sent, bounced, complained, day > (now() at time zone 'UTC')::date - 7
       from project_email_changes where project_id = any($1::uuid[])
     ) figures
     group by project_id`;
  return query(em, row, sql, [projectIds]);
}

const dayRow = z.object({ projectId: z.uuid(), day: z.string() });

export type EmailDay = z.output<typeof dayRow>;

/**
 * Locks days whose figures changed since their project was last evaluated, in a transaction. Ordered by project; skips
 * days locked by others.
 *
 * @param after last project of the previous page
 */
export function lockUnevaluatedDays(em: Em, after: string, limit: number): Promise<EmailDay[]> {
  const sql = `select project_id as "projectId", day::text as day from project_email_days
     where not judged and project_id > $1 order by project_id, day limit $2 for update skip locked`;
  return query(em, dayRow, sql, [after, limit]);
}

// A statement, because it updates many rows by a composite key.
export async function markEvaluated(em: Em, days: readonly EmailDay[]): Promise<void> {
  const sql = `update project_email_days d set judged = true
     from unnest($1::uuid[], $2::date[]) as marked (project_id, day)
     where d.project_id = marked.project_id and d.day = marked.day`;
  await execute(em, sql, [days.map(({ projectId }) => projectId), days.map(({ day }) => day)]);
}
