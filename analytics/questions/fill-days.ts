import { countBuckets, fillBuckets } from './fill-buckets.ts';

/** Beyond this many days only those with a count are listed: ten years of a chart by day. */
const maxDays = 3660;

/** The counts of every UTC day from the start to the end, zero where there is none, oldest first. */
export function fillDays(
  counts: readonly { date: string; count: number }[],
  period: { startDate: Date; endDate: Date },
): { date: string; count: number }[] {
  if (countBuckets(period, 'day') > maxDays) {
    return counts.map(({ date, count }) => ({ date, count })).sort((a, b) => (a.date < b.date ? -1 : 1));
  }
  return fillBuckets(
    counts.map(({ date, count }) => ({ date, count })),
    period,
    'day',
    (date) => ({ date, count: 0 }),
  );
}
