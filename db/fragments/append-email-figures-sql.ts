/**
 * Body of a CTE that appends changes of the projects' email figures, one row per project. Excludes simulator addresses.
 *
 * @param rows name of a CTE of changed emails with `project_id` and `to_email`
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
