import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question } from '../question.ts';
import { countEmailFigures, type EmailFigures, emailFiguresRow } from './figures.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const eventCounts = z.object({ totalEvents: countColumn, workflowsStarted: countColumn });

const countEvents: Question<PeriodParameters, z.output<typeof eventCounts>> = {
  name: 'activity-stats-events',
  sql: `
SELECT count() AS totalEvents, countIf(activity_type = 'workflow.started') AS workflowsStarted
FROM event FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod('occurred_at')} AND activity_type != ''`,
  row: eventCounts,
};

const countEmails: Question<PeriodParameters, EmailFigures> = {
  name: 'activity-stats-emails',
  sql: `
SELECT ${countEmailFigures}
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod('occurred_at')}`,
  row: emailFiguresRow,
};

/**
 * `totalEvents` are rows of the feed; the others but `workflowsStarted` are emails. An email counts in the period
 * in which the thing first happened to it (a click counts as an open too), so that the periods of a time add up to the
 * whole; bounces are the permanent ones.
 */
export type ActivityStats = z.output<typeof eventCounts> & EmailFigures;

/**
 * What happened in a project in a period.
 *
 * @throws ClickHouseUnavailable
 */
export async function activityStats(clickhouse: ClickHouse, period: ProjectPeriod): Promise<ActivityStats> {
  const parameters = toPeriodParameters(period);
  const [[events], [emails]] = await Promise.all([
    clickhouse.query(countEvents, parameters),
    clickhouse.query(countEmails, parameters),
  ]);
  return {
    totalEvents: events?.totalEvents ?? 0,
    workflowsStarted: events?.workflowsStarted ?? 0,
    sent: emails?.sent ?? 0,
    delivered: emails?.delivered ?? 0,
    opened: emails?.opened ?? 0,
    clicked: emails?.clicked ?? 0,
    bounced: emails?.bounced ?? 0,
    complained: emails?.complained ?? 0,
  };
}
