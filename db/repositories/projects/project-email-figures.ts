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

/** Folds the changes into the figures by day, which are to be judged from then on. @returns how many changes */
export async function foldEmailFigures(em: Em): Promise<number> {
  let folded = 0;
  for (;;) {
    const [row] = await sql<{ changes: number }>(
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
         insert into project_email_days as d (project_id, day, sent, bounced, complained, judged)
         select project_id, day, sent, bounced, complained, false from summed
         on conflict (project_id, day) do update
         set sent = d.sent + excluded.sent, bounced = d.bounced + excluded.bounced,
           complained = d.complained + excluded.complained, judged = false
       )
       select coalesce(sum(changes), 0)::int as changes from summed`,
    );
    const inRound = row?.changes ?? 0;
    folded += inRound;
    if (inRound < foldedAtOnce) return folded;
  }
}

/** A day of a project's figures. */
export interface EmailDay {
  projectId: string;
  day: string;
}

/**
 * In a transaction: days whose figures have changed since their project was judged, in the order of the projects,
 * held until its end; without those that others hold.
 *
 * @param after the project behind which to begin
 */
export function holdUnjudgedDays(em: Em, after: string, limit: number): Promise<EmailDay[]> {
  return sql(
    em,
    `select project_id as "projectId", day::text as day from project_email_days
     where not judged and project_id > $1 order by project_id, day limit $2 for update skip locked`,
    [after, limit],
  );
}

/** Whoever owns these days was judged by their figures. */
export async function markJudged(em: Em, days: readonly EmailDay[]): Promise<void> {
  await sql(
    em,
    `update project_email_days d set judged = true
     from unnest($1::uuid[], $2::date[]) as marked (project_id, day)
     where d.project_id = marked.project_id and d.day = marked.day`,
    [days.map(({ projectId }) => projectId), days.map(({ day }) => day)],
  );
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
