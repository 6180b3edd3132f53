import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from '../client/question.ts';
import { countByDay, type DayParameters, inDays } from './count-by-day.ts';
import { countEmailFigures, type EmailFigures, emailFigures, emailFiguresRow, noEmails } from './figures.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const eventCounts = z.object({ totalEvents: countColumn, workflowsStarted: countColumn });

const eventsSql = (period: string) => `
  count() AS totalEvents, countIf(activity_type = 'workflow.started') AS workflowsStarted
FROM event FINAL
WHERE project_id = {projectId:UUID} AND ${period} AND activity_type != ''`;

const emailsSql = (period: string) => `
  ${countEmailFigures}
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${period}`;

const perDay = (sql: string) => `
SELECT toString(day) AS date, ${sql}
GROUP BY toDate(occurred_at, 'UTC') AS day`;

const countEvents: Question<PeriodParameters, z.output<typeof eventCounts>> = {
  name: 'activity-stats-events',
  sql: `SELECT ${eventsSql(inPeriod)}`,
  row: eventCounts,
};

const countEmails: Question<PeriodParameters, EmailFigures> = {
  name: 'activity-stats-emails',
  sql: `SELECT ${emailsSql(inPeriod)}`,
  row: emailFiguresRow,
};

const dailyEvents = eventCounts.extend({ date: z.string() });

const eventsByDay: Question<DayParameters, z.output<typeof dailyEvents>> = {
  name: 'activity-stats-events-by-day',
  sql: perDay(eventsSql(inDays)),
  row: dailyEvents,
};

const dailyEmails = emailFiguresRow.extend({ date: z.string() });

const emailsByDay: Question<DayParameters, z.output<typeof dailyEmails>> = {
  name: 'activity-stats-emails-by-day',
  sql: perDay(emailsSql(inDays)),
  row: dailyEmails,
};

/**
 * `totalEvents` counts feed rows. Email counts use the period of the first occurrence (a click is also an open), so
 * that consecutive periods add up. Only permanent bounces count.
 */
export type ActivityStats = z.output<typeof eventCounts> & EmailFigures;

export async function activityStats(clickhouse: ClickHouse, period: ProjectPeriod): Promise<ActivityStats> {
  const parameters = toPeriodParameters(period);
  const [events, emails] = await Promise.all([
    countByDay(clickhouse, eventsByDay, period, {}).then(
      (days) => days ?? clickhouse.query(countEvents, parameters),
    ),
    countByDay(clickhouse, emailsByDay, period, {}).then(
      (days) => days ?? clickhouse.query(countEmails, parameters),
    ),
  ]);
  const stats = { totalEvents: 0, workflowsStarted: 0, ...noEmails };
  for (const row of events) {
    stats.totalEvents += row.totalEvents;
    stats.workflowsStarted += row.workflowsStarted;
  }
  for (const row of emails) for (const name of emailFigures) stats[name] += row[name];
  return stats;
}

const countRow = z.object({ count: countColumn });

const countRecent: Question<{ projectId: string; since: string }, z.output<typeof countRow>> = {
  name: 'recent-activity-count',
  sql: `
SELECT count() AS count
FROM event FINAL
WHERE project_id = {projectId:UUID} AND occurred_at >= {since:DateTime64(3, 'UTC')} AND activity_type != ''`,
  row: countRow,
};

export async function recentActivityCount(
  clickhouse: ClickHouse,
  projectId: string,
  since: Date,
): Promise<number> {
  const [answer] = await clickhouse.query(countRecent, { projectId, since: toInstantParameter(since) });
  return answer?.count ?? 0;
}
