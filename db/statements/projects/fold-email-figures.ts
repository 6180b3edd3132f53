import { z } from 'zod';
import type { EmailFigures } from '../../../core/project-security.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

const changesPerStatement = 20_000;

const row = z.object({ changes: z.int(), sent: z.int(), bounced: z.int(), complained: z.int() });

/**
 * Folds the pending changes into the daily figures and marks these days for evaluation. Each statement deletes the
 * changes it adds. Returns the number of changes.
 *
 * @param counted called with the sums of each statement
 */
export async function foldEmailFigures(
  em: Em,
  counted: (figures: EmailFigures) => void = () => undefined,
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
    const { changes, ...figures } = await queryRow(em, row, sql);
    counted(figures);
    folded += changes;
    if (changes < changesPerStatement) return folded;
  }
}
