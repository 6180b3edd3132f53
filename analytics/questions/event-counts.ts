import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question } from '../client/question.ts';
import { countByDay, type DayParameters, inDays, limitPerDay } from './count-by-day.ts';
import type { ProjectPeriod } from './period.ts';

const row = z.object({ date: z.string(), name: z.string(), count: countColumn });

const question: Question<DayParameters, z.output<typeof row>> = {
  name: 'events-by-day',
  sql: `
SELECT toString(day) AS date, name, count() AS count
FROM event FINAL
WHERE project_id = {projectId:UUID} AND ${inDays} AND kind IN ('tracked', 'emitted')
GROUP BY toDate(occurred_at, 'UTC') AS day, name
${limitPerDay}`,
  row,
};

/**
 * Tracked and emitted events by UTC day and name.
 *
 * @returns undefined for too many days or names; see {@link countByDay}
 */
export const eventCounts = (clickhouse: ClickHouse, period: ProjectPeriod) =>
  countByDay(clickhouse, question, period, {});

export interface NamedCount {
  name: string;
  count: number;
}

export function sumByName(counts: readonly NamedCount[]): NamedCount[] {
  const sums = new Map<string, number>();
  for (const { name, count } of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}
