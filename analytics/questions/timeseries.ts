import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, zeroUuid } from '../client/question.ts';
import { countEmailFigures, emailFiguresRow } from './figures.ts';
import { fillBuckets, type Interval } from './fill-buckets.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const bucketRow = emailFiguresRow.extend({ date: z.string(), unsubscribed: countColumn });

export type TimeseriesBucket = z.output<typeof bucketRow>;

type SeriesParameters = PeriodParameters & { campaignId: string };

/** Matches the bucket names of `fillBuckets`; formatted once per bucket, not per row. */
const bucketsBy = (bucket: string, name: string): Question<SeriesParameters, TimeseriesBucket> => ({
  name: 'timeseries',
  sql: `
SELECT ${name} AS date, ${countEmailFigures},
  countIf(figure = if({campaignId:UUID} = toUUID('${zeroUuid}'), 'unsubscribed', 'opted_out')) AS unsubscribed
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${inPeriod('occurred_at')}
  AND ({campaignId:UUID} = toUUID('${zeroUuid}') OR campaign_id = {campaignId:UUID})
GROUP BY ${bucket} AS bucket`,
  row: bucketRow,
});

const questions = {
  hour: bucketsBy('toStartOfHour(occurred_at)', `formatDateTime(bucket, '%Y-%m-%dT%H:00:00.000Z', 'UTC')`),
  day: bucketsBy(`toDate(occurred_at, 'UTC')`, 'toString(bucket)'),
} satisfies Record<Interval, unknown>;

/**
 * Figures of a period by UTC hour or day. Emails count at their first occurrence (a click is also an open), so that
 * the buckets add up to the figures of the whole period. Only permanent bounces count.
 *
 * @param campaignId only what became of its emails, with those who opted out through them
 * @returns every bucket the period touches, oldest first; the first and last cover only the part within the period
 * @throws ClickHouseUnavailable
 */
export async function timeseries(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  interval: Interval,
  campaignId: string = zeroUuid,
): Promise<TimeseriesBucket[]> {
  const rows = await clickhouse.query(questions[interval], { ...toPeriodParameters(period), campaignId });
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
