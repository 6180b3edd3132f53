import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question } from '../question.ts';
import { countEmailFigures, emailFiguresRow } from './figures.ts';
import { fillBuckets, type Interval } from './fill-buckets.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const bucketRow = emailFiguresRow.extend({ date: z.string(), unsubscribed: countColumn });

/** What happened in one UTC hour or day. */
export type TimeseriesBucket = z.output<typeof bucketRow>;

const bucketsBy = (interval: Interval, bucket: string): Question<PeriodParameters, TimeseriesBucket> => ({
  name: `timeseries-${interval}`,
  sql: `
SELECT ${bucket} AS date, ${countEmailFigures}, countIf(figure = 'unsubscribed') AS unsubscribed
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod('occurred_at')}
GROUP BY date`,
  row: bucketRow,
});

const questions = {
  // Names as those of the buckets that are filled in.
  hour: bucketsBy('hour', `formatDateTime(toStartOfHour(occurred_at), '%Y-%m-%dT%H:00:00.000Z', 'UTC')`),
  day: bucketsBy('day', `toString(toDate(occurred_at, 'UTC'))`),
} satisfies Record<Interval, unknown>;

/**
 * The figures of a period by UTC hour or day. An email counts when the thing first happened to it (a click counts as
 * an open too), so that the buckets add up to the figures of the whole period; bounces are the permanent ones.
 *
 * @returns every bucket that the period touches, oldest first; the first and last hold only what lies in the period.
 * @throws ClickHouseUnavailable
 */
export async function timeseries(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  interval: Interval,
): Promise<TimeseriesBucket[]> {
  const rows = await clickhouse.query(questions[interval], toPeriodParameters(period));
  return fillBuckets(rows, period, interval, (date) => ({
    date,
    sent: 0,
    delivered: 0,
    opened: 0,
    clicked: 0,
    bounced: 0,
    complained: 0,
    unsubscribed: 0,
  }));
}
