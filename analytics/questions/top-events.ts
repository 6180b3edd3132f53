import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from '../client/question.ts';
import { eventCounts, sumByName } from './event-counts.ts';
import { type ProjectPeriod, toPeriodParameters } from './period.ts';

const row = z.object({ name: z.string(), count: countColumn, previousCount: countColumn });

export type TopEvent = z.output<typeof row>;

type Parameters = { projectId: string; before: string; since: string; until: string; limit: number };

const question: Question<Parameters, TopEvent> = {
  name: 'top-events',
  sql: `
SELECT
  name,
  countIf(occurred_at >= {since:DateTime64(3, 'UTC')}) AS count,
  countIf(occurred_at < {since:DateTime64(3, 'UTC')}) AS previousCount
FROM event FINAL
WHERE project_id = {projectId:UUID}
  AND occurred_at >= {before:DateTime64(3, 'UTC')} AND occurred_at <= {until:DateTime64(3, 'UTC')}
  AND kind IN ('tracked', 'emitted')
GROUP BY name
HAVING count > 0
ORDER BY count DESC, name
LIMIT {limit:UInt32}`,
  row,
};

/**
 * The most frequent tracked and emitted events of a period; ties by name.
 *
 * @param limit maximum number of names
 */
export async function topEvents(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  limit: number,
): Promise<TopEvent[]> {
  const lengthMs = period.endDate.getTime() - period.startDate.getTime();
  const before = new Date(Math.max(0, period.startDate.getTime() - lengthMs));
  const counts = await countBoth(clickhouse, period, before);
  if (counts === undefined) {
    return clickhouse.query(question, {
      ...toPeriodParameters(period),
      before: toInstantParameter(before),
      limit,
    });
  }
  const previousCounts = new Map(sumByName(counts.previous).map(({ name, count }) => [name, count]));
  return sumByName(counts.now)
    .slice(0, limit)
    .map(({ name, count }) => ({ name, count, previousCount: previousCounts.get(name) ?? 0 }));
}

/** Both periods in one query when they meet at midnight UTC, as in daily charts. */
async function countBoth(clickhouse: ClickHouse, period: ProjectPeriod, before: Date) {
  const firstDay = period.startDate.toISOString().slice(0, 10);
  if (period.startDate.getTime() === Date.parse(firstDay)) {
    const both = await eventCounts(clickhouse, { ...period, startDate: before });
    if (both === undefined) return;
    return {
      now: both.filter(({ date }) => date >= firstDay),
      previous: both.filter(({ date }) => date < firstDay),
    };
  }
  const now = await eventCounts(clickhouse, period);
  const until = new Date(period.startDate.getTime() - 1);
  const previous = await eventCounts(clickhouse, { ...period, startDate: before, endDate: until });
  return now && previous && { now, previous };
}
