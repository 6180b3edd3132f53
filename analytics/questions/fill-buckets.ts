import { earliest, latest } from '../question.ts';

export type Interval = 'hour' | 'day';

const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;

interface Period {
  startDate: Date;
  endDate: Date;
}

/** The first and the last bucket that a period touches, counted from the epoch. */
function bucketRange({ startDate, endDate }: Period, interval: Interval): { first: number; last: number } {
  const first = Math.floor(Math.max(startDate.getTime(), earliest.getTime()) / bucketMs[interval]);
  const last = Math.floor(Math.min(endDate.getTime(), latest.getTime()) / bucketMs[interval]);
  return { first, last };
}

/** How many UTC hours or days a period touches. */
export function countBuckets(period: Period, interval: Interval): number {
  const { first, last } = bucketRange(period, interval);
  return Math.max(0, last - first + 1);
}

/** `2026-01-31` for a day, `2026-01-31T09:00:00.000Z` for an hour. */
function bucketName(bucket: number, interval: Interval): string {
  const iso = new Date(bucket * bucketMs[interval]).toISOString();
  return interval === 'day' ? iso.slice(0, 10) : iso;
}

/**
 * Every UTC hour or day that a period touches, oldest first: the row that has it as its `date`, or an empty one.
 *
 * @param rows with dates as they are named here; others are left out.
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
