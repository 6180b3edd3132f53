import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question } from '../question.ts';
import { fillDays } from './fill-days.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

/** Names that the statistics list. */
export const mostNames = 100;

export interface EventStats {
  total: number;
  /** Most frequent first, at most `mostNames`. */
  byName: { name: string; count: number }[];
  /** Events of all other names. */
  otherCount: number;
  /** Every UTC day of the period, oldest first. */
  timeseries: { date: string; count: number }[];
}

const row = z.object({
  /** 1 for a row of a day, 0 for a row of a name. */
  isDay: countColumn,
  name: z.string(),
  date: z.string(),
  count: countColumn,
});

const question: Question<PeriodParameters, z.output<typeof row>> = {
  name: 'event-stats',
  sql: `
SELECT grouping(name) AS isDay, name, toDate(occurred_at) AS date, count() AS count
FROM event FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod('occurred_at')} AND kind IN ('tracked', 'emitted')
GROUP BY GROUPING SETS ((name), (date))
ORDER BY isDay, count DESC, name
-- Of all names together; each day is one row.
LIMIT ${mostNames} BY isDay, date`,
  row,
};

/**
 * How many events a project had in a period, by name and by day.
 *
 * @throws ClickHouseUnavailable
 */
export async function eventStats(clickhouse: ClickHouse, period: ProjectPeriod): Promise<EventStats> {
  const rows = await clickhouse.query(question, toPeriodParameters(period));
  const days = rows.filter((found) => found.isDay === 1);
  const byName = rows.filter((found) => found.isDay === 0).map(({ name, count }) => ({ name, count }));
  const total = countOf(days);
  return {
    total,
    byName,
    otherCount: total - countOf(byName),
    timeseries: fillDays(days, period),
  };
}

const countOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);
