import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question } from '../question.ts';
import { countEmailFigures, emailFiguresRow } from './figures.ts';
import { fillBuckets, type Interval } from './fill-buckets.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const bucketRow = emailFiguresRow.extend({ date: z.string(), unsubscribed: countColumn });

/** What happened in one UTC hour or day. */
export type TimeseriesBucket = z.output<typeof bucketRow>;

/** Named as the buckets that are filled in; the name is made once per bucket, not per row. */
const bucketsBy = (bucket: string, name: string): Question<PeriodParameters, TimeseriesBucket> => ({
  name: 'timeseries',
  sql: `
SELECT ${name} AS date, ${countEmailFigures}, countIf(figure = 'unsubscribed') AS unsubscribed
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod('occurred_at')}
GROUP BY ${bucket} AS bucket`,
  row: bucketRow,
});

const questions = {
  hour: bucketsBy('toStartOfHour(occurred_at)', `formatDateTime(bucket, '%Y-%m-%dT%H:00:00.000Z', 'UTC')`),
  day: bucketsBy(`toDate(occurred_at, 'UTC')`, 'toString(bucket)'),
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
