import { earliest, latest } from '../client/question.ts';

export const intervals = ['hour', 'day'] as const;
export type Interval = (typeof intervals)[number];

const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;

interface Period {
  startDate: Date;
  endDate: Date;
}

function bucketRange({ startDate, endDate }: Period, interval: Interval): { first: number; last: number } {
  const first = Math.floor(Math.max(startDate.getTime(), earliest.getTime()) / bucketMs[interval]);
  const last = Math.floor(Math.min(endDate.getTime(), latest.getTime()) / bucketMs[interval]);
  return { first, last };
}

export function countBuckets(period: Period, interval: Interval): number {
  const { first, last } = bucketRange(period, interval);
  return Math.max(0, last - first + 1);
}

function bucketName(bucket: number, interval: Interval): string {
  const iso = new Date(bucket * bucketMs[interval]).toISOString();
  return interval === 'day' ? iso.slice(0, 10) : iso;
}

/**
 * Every UTC hour or day that a period touches, oldest first: its row, or an empty one.
 *
 * @param rows dates in the format of the buckets; other rows are dropped
 */
export function fillBuckets<Row extends { date: string }>(
  rows: readonly Row[],
  period: Period,
  interval: Interval,
  emptyRow: (date: string) => Row,
): Row[] {
  const byDate = new Map(rows.map((row) => [row.date, row]));
  const { first } = bucketRange(period, interval);
  return Array.from({ length: countBuckets(period, interval) }, (_, offset) => {
    const date = bucketName(first + offset, interval);
    return byDate.get(date) ?? emptyRow(date);
  });
}

/** About ten years; beyond it, only days with a count are listed. */
const maxDays = 3660;

export function fillDays(
  counts: readonly { date: string; count: number }[],
  period: Period,
): { date: string; count: number }[] {
  const days = counts.map(({ date, count }) => ({ date, count }));
  if (countBuckets(period, 'day') > maxDays) return days.sort((a, b) => (a.date < b.date ? -1 : 1));
  return fillBuckets(days, period, 'day', (date) => ({ date, count: 0 }));
}
