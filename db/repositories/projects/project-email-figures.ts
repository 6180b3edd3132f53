import type { EmailFigures } from '../../../core/project-security.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/**
 * SQL of a common table expression's body: appends what a statement changes in the figures of projects, a row per
 * project. Simulator addresses are no recipients.
 *
 * @param rows the expression with the changed emails, which has `project_id` and `to_email`
 * @param changes SQL conditions: whether an email was sent, bounced or complained about for the first time
 */
export function appendEmailFiguresSql(
  rows: string,
  changes: { sent: string; bounced?: string; complained?: string },
): string {
  const { sent, bounced = 'false', complained = 'false' } = changes;
  return `
  insert into project_email_changes (project_id, day, sent, bounced, complained)
  select project_id, (now() at time zone 'UTC')::date, count(*) filter (where ${sent}),
    count(*) filter (where ${bounced}), count(*) filter (where ${complained})
  from ${rows}
  where ((${sent}) or (${bounced}) or (${complained})) and to_email not like '%@simulator.amazonses.com'
  group by project_id`;
}

/** Changes folded in one statement. */
const foldedAtOnce = 20_000;

/**
 * Folds the changes into the figures by day.
 * @returns how many changes, and the projects that they are about
 */
export async function foldEmailFigures(em: Em): Promise<{ folded: number; projectIds: string[] }> {
  let folded = 0;
  const projectIds = new Set<string>();
  for (;;) {
    const rows = await sql<{ projectId: string; changes: number }>(
      em,
      `with taken as (
         delete from project_email_changes
         where (project_id, id) in (
           select project_id, id from project_email_changes limit ${foldedAtOnce} for update skip locked)
         returning *
       ),
       summed as (
         select project_id, day, sum(sent)::int as sent, sum(bounced)::int as bounced,
           sum(complained)::int as complained, count(*)::int as changes
         from taken group by project_id, day order by project_id, day
       ),
       added as (
         insert into project_email_days as d (project_id, day, sent, bounced, complained)
         select project_id, day, sent, bounced, complained from summed
         on conflict (project_id, day) do update
         set sent = d.sent + excluded.sent, bounced = d.bounced + excluded.bounced,
           complained = d.complained + excluded.complained
       )
       select project_id as "projectId", sum(changes)::int as changes from summed group by project_id`,
    );
    const inRound = rows.reduce((sum, row) => sum + row.changes, 0);
    for (const row of rows) projectIds.add(row.projectId);
    folded += inRound;
    if (inRound < foldedAtOnce) return { folded, projectIds: [...projectIds] };
  }
}

export interface ProjectEmailFigures {
  projectId: string;
  /** Today and the six days before, by UTC. */
  week: EmailFigures;
  allTime: EmailFigures;
}

/** The figures of projects: of each that has any. Reads a row per day, and the changes of the last minute. */
export async function readEmailFigures(
  em: Em,
  projectIds: readonly string[],
): Promise<ProjectEmailFigures[]> {
  return sql<ProjectEmailFigures>(
    em,
    `select project_id as "projectId",
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
     group by project_id`,
    [projectIds],
  );
}
