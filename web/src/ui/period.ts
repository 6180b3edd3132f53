import { z } from 'zod';

const hourMs = 3_600_000;
const lengthHours = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24, '365d': 365 * 24 };

export type PeriodLength = keyof typeof lengthHours;

export const periodLengths = [
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '365d', label: 'Last 365 days' },
] as const satisfies { value: PeriodLength; label: string }[];

export const periodLengthSchema = z.enum(['24h', '7d', '30d', '90d', '365d']);

/** Part of the URL: one of the lengths, or two days in the user's time zone, both inclusive. */
export const periodSearchSchema = z.object({
  period: z
    .enum([...periodLengthSchema.options, 'days'])
    .optional()
    .catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
});

export type PeriodSearch = z.output<typeof periodSearchSchema>;

/** On a full hour, so that the request stays the same for an hour. */
export function startOf(length: PeriodLength, now = Date.now()): Date {
  return new Date(Math.ceil(now / hourMs) * hourMs - lengthHours[length] * hourMs);
}

/**
 * The period of a chart. Days are whole UTC days up to and including today, because the API caches counts per UTC day;
 * hours start on the hour, as in `startOf`. `before` is the preceding period of the same length, its last day cut off
 * at the current time of day.
 */
export function chartPeriod(length: PeriodLength, now = Date.now()) {
  const end = Math.ceil(now / hourMs) * hourMs;
  const lengthMs = lengthHours[length] * hourMs;
  const unitMs = length === '24h' ? hourMs : 24 * hourMs;
  const start = Math.ceil(end / unitMs) * unitMs - lengthMs;
  const text = (instant: number) => new Date(instant).toISOString();
  return {
    startDate: text(start),
    // The API includes both ends.
    before: { startDate: text(start - lengthMs), endDate: text(end - lengthMs - 1) },
  };
}

/** The last millisecond of a day. 23:59:59.999 would be the first of two where a clock is set back at midnight. */
function endOf(day: string): Date {
  const next = new Date(`${day}T12:00:00`);
  next.setDate(next.getDate() + 1);
  return new Date(next.setHours(0, 0, 0, 0) - 1);
}

/** In the format of the API. */
export function toPeriodQuery({ period, from, to }: PeriodSearch): { startDate?: string; endDate?: string } {
  if (period === undefined) return {};
  if (period !== 'days') return { startDate: startOf(period).toISOString() };
  // The user may enter the two days in either order.
  const [first, last] = from && to && from > to ? [to, from] : [from, to];
  return {
    ...(first && { startDate: new Date(`${first}T00:00:00`).toISOString() }),
    ...(last && { endDate: endOf(last).toISOString() }),
  };
}
