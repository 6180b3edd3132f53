import { z } from 'zod';
import type { SenderFigures } from '../../../core/project-security.ts';
import type { Em } from '../../orm.ts';
import { columnsOf, execute, query, queryRow } from '../../sql.ts';

const figures = z.object({ sent: z.int(), bounced: z.int(), complained: z.int() });
const row = z.object({ projectId: z.uuid(), week: figures, allTime: figures });

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
  await execute(em, sql, columnsOf(days, 'projectId', 'day'));
}

const changesPerStatement = 20_000;

const foldedRow = z.object({ changes: z.int(), sent: z.int(), bounced: z.int(), complained: z.int() });

/**
 * Folds the pending changes into the daily figures and marks these days for evaluation. Each statement deletes the
 * changes it adds. Returns the number of changes.
 *
 * @param counted called with the sums of each statement
 */
export async function foldEmailFigures(
  em: Em,
  counted: (figures: SenderFigures) => void = () => undefined,
): Promise<number> {
  let folded = 0;
  for (;;) {
    // With `in (select …)`, a plan made while the table was empty would read and lock the rows again for each row.
    const sql = `with due as materialized (
         select project_id, id from project_email_changes limit ${changesPerStatement} for update skip locked
       ),
       taken as (
         delete from project_email_changes c using due
         where c.project_id = due.project_id and c.id = due.id
         returning c.*
       ),
       summed as (
         select project_id, day, sum(sent)::int as sent, sum(bounced)::int as bounced,
           sum(complained)::int as complained, count(*)::int as changes
         from taken group by project_id, day order by project_id, day
       ),
       added as (
         insert into project_email_days as d (project_id, day, sent, bounced, complained, judged)
         select project_id, day, sent, bounced, complained, false from summed
         on conflict (project_id, day) do update
         set sent = d.sent + excluded.sent, bounced = d.bounced + excluded.bounced,
           complained = d.complained + excluded.complained, judged = false
       )
       select coalesce(sum(changes), 0)::int as changes, coalesce(sum(sent), 0)::int as sent,
         coalesce(sum(bounced), 0)::int as bounced, coalesce(sum(complained), 0)::int as complained
       from summed`;
    const { changes, ...figures } = await queryRow(em, foldedRow, sql);
    counted(figures);
    folded += changes;
    if (changes < changesPerStatement) return folded;
  }
}
