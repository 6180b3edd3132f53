import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, zeroUuid } from '../client/question.ts';
import { countByDay, type DayParameters, inDays } from './count-by-day.ts';
import { countEmailFigures, emailFiguresRow, noEmails } from './figures.ts';
import { fillBuckets, type Interval } from './fill-buckets.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const bucketRow = emailFiguresRow.extend({ date: z.string(), unsubscribed: countColumn });

export type TimeseriesBucket = z.output<typeof bucketRow>;

type OfCampaign = { campaignId: string };

/** Match the bucket names of `fillBuckets`; formatted once per bucket, not per row. */
const buckets = {
  hour: { by: 'toStartOfHour(occurred_at)', name: `formatDateTime(bucket, '%Y-%m-%dT%H:00:00.000Z', 'UTC')` },
  day: { by: `toDate(occurred_at, 'UTC')`, name: 'toString(bucket)' },
} satisfies Record<Interval, unknown>;

const bucketsSql = (interval: Interval, period: string) => `
SELECT ${buckets[interval].name} AS date, ${countEmailFigures},
  countIf(figure = if({campaignId:UUID} = toUUID('${zeroUuid}'), 'unsubscribed', 'opted_out')) AS unsubscribed
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${period}
  AND ({campaignId:UUID} = toUUID('${zeroUuid}') OR campaign_id = {campaignId:UUID})
GROUP BY ${buckets[interval].by} AS bucket`;

const ofPeriod = (interval: Interval): Question<PeriodParameters & OfCampaign, TimeseriesBucket> => ({
  name: 'timeseries',
  sql: bucketsSql(interval, inPeriod),
  row: bucketRow,
});

const ofDays = (interval: Interval): Question<DayParameters & OfCampaign, TimeseriesBucket> => ({
  name: `timeseries-by-${interval}`,
  sql: bucketsSql(interval, inDays),
  row: bucketRow,
});

/**
 * Figures of a period by UTC hour or day. Emails count at their first occurrence (a click is also an open), so that
 * the buckets add up to the figures of the whole period. Only permanent bounces count.
 *
 * @param campaignId restricts the figures to its emails; opt-outs are those made through their links
 * @returns every bucket the period touches, oldest first; the first and last cover only the part within the period
 */
export async function timeseries(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  interval: Interval,
  campaignId?: string,
): Promise<TimeseriesBucket[]> {
  // No campaign has the nil id, which the questions take for all emails.
  const rows = campaignId === zeroUuid ? [] : await countBucketsOf(clickhouse, period, interval, campaignId);
  return fillBuckets(rows, period, interval, (date) => ({ date, ...noEmails, unsubscribed: 0 }));
}

async function countBucketsOf(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  interval: Interval,
  campaignId: string = zeroUuid,
): Promise<TimeseriesBucket[]> {
  const days = await countByDay(clickhouse, ofDays(interval), period, { campaignId });
  return days ?? clickhouse.query(ofPeriod(interval), { ...toPeriodParameters(period), campaignId });
}
