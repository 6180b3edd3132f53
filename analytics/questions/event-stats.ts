import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question } from '../client/question.ts';
import { eventCounts, sumByName } from './event-counts.ts';
import { fillDays } from './fill-buckets.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

export const mostNames = 100;

const row = z.object({ isDay: countColumn, name: z.string(), date: z.string(), count: countColumn });

const question: Question<PeriodParameters, z.output<typeof row>> = {
  name: 'event-stats',
  sql: `
SELECT grouping(name) AS isDay, name, toDate(occurred_at) AS date, count() AS count
FROM event FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod} AND kind IN ('tracked', 'emitted')
GROUP BY GROUPING SETS ((name), (date))
ORDER BY isDay, count DESC, name
-- Limits the names; each day is one row.
LIMIT ${mostNames} BY isDay, date`,
  row,
};

export async function eventStats(clickhouse: ClickHouse, period: ProjectPeriod) {
  const { days, byName } = await countEvents(clickhouse, period);
  const total = countOf(days);
  return { total, byName, otherCount: total - countOf(byName), timeseries: fillDays(days, period) };
}

async function countEvents(clickhouse: ClickHouse, period: ProjectPeriod) {
  const counts = await eventCounts(clickhouse, period);
  if (counts !== undefined) {
    const days = [...Map.groupBy(counts, ({ date }) => date)];
    return {
      days: days.map(([date, ofDay]) => ({ date, count: countOf(ofDay) })),
      byName: sumByName(counts).slice(0, mostNames),
    };
  }
  const rows = await clickhouse.query(question, toPeriodParameters(period));
  return {
    days: rows.filter((found) => found.isDay === 1),
    byName: rows.filter((found) => found.isDay === 0).map(({ name, count }) => ({ name, count })),
  };
}

const countOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);
