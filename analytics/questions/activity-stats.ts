import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from '../client/question.ts';
import { countEmailFigures, type EmailFigures, emailFiguresRow, noEmails } from './figures.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const eventCounts = z.object({ totalEvents: countColumn, workflowsStarted: countColumn });

const countEvents: Question<PeriodParameters, z.output<typeof eventCounts>> = {
  name: 'activity-stats-events',
  sql: `
SELECT count() AS totalEvents, countIf(activity_type = 'workflow.started') AS workflowsStarted
FROM event FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod} AND activity_type != ''`,
  row: eventCounts,
};

const countEmails: Question<PeriodParameters, EmailFigures> = {
  name: 'activity-stats-emails',
  sql: `
SELECT ${countEmailFigures}
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod}`,
  row: emailFiguresRow,
};

/**
 * `totalEvents` counts feed rows. Email counts use the period of the first occurrence (a click is also an open), so
 * that consecutive periods add up. Only permanent bounces count.
 */
export type ActivityStats = z.output<typeof eventCounts> & EmailFigures;

export async function activityStats(clickhouse: ClickHouse, period: ProjectPeriod): Promise<ActivityStats> {
  const parameters = toPeriodParameters(period);
  const [[events], [emails]] = await Promise.all([
    clickhouse.query(countEvents, parameters),
    clickhouse.query(countEmails, parameters),
  ]);
  return { totalEvents: 0, workflowsStarted: 0, ...events, ...noEmails, ...emails };
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
