import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from '../question.ts';
import { type ProjectPeriod, toPeriodParameters } from './period.ts';

const row = z.object({ name: z.string(), count: countColumn, previousCount: countColumn });

/** How often an event happened in a period, and in as long a time before it. */
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
 * The names that most events of a period have, tracked and emitted ones; those of one count by name.
 *
 * @param limit at most this many.
 * @throws ClickHouseUnavailable
 */
export function topEvents(clickhouse: ClickHouse, period: ProjectPeriod, limit: number): Promise<TopEvent[]> {
  const lengthMs = period.endDate.getTime() - period.startDate.getTime();
  const before = toInstantParameter(new Date(Math.max(0, period.startDate.getTime() - lengthMs)));
  return clickhouse.query(question, { ...toPeriodParameters(period), before, limit });
}
