import { countBuckets, fillBuckets } from './fill-buckets.ts';

/** About ten years; beyond it, only days with a count are listed. */
const maxDays = 3660;

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
