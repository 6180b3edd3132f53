import { earliest, latest } from '../question.ts';

const dayMs = 86_400_000;

/** Beyond this many days only those with a count are listed: ten years of a chart by day. */
const maxDays = 3660;

/** The counts of every UTC day from the start to the end, zero where there is none, oldest first. */
export function fillDays(
  counts: readonly { date: string; count: number }[],
  period: { startDate: Date; endDate: Date },
): { date: string; count: number }[] {
  const byDay = new Map(counts.map(({ date, count }) => [date, count]));
  const first = Math.floor(Math.max(period.startDate.getTime(), earliest.getTime()) / dayMs);
  const last = Math.floor(Math.min(period.endDate.getTime(), latest.getTime()) / dayMs);
  if (last - first >= maxDays) {
    return [...byDay].map(([date, count]) => ({ date, count })).sort((a, b) => (a.date < b.date ? -1 : 1));
  }
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => {
    const date = new Date((first + offset) * dayMs).toISOString().slice(0, 10);
    return { date, count: byDay.get(date) ?? 0 };
  });
}
