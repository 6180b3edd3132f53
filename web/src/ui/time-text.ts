const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
const dayAndTime = new Intl.DateTimeFormat(undefined, parts);
const yearAndTime = new Intl.DateTimeFormat(undefined, { ...parts, year: 'numeric' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const units = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** "3 minutes ago" for up to a week, then the date. */
export function timeText(instant: Date, now: number): string {
  const seconds = (instant.getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return day.format(instant);
  const [unit, size] = units.findLast(([, length]) => Math.abs(seconds) >= length) ?? units[0];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Date and time in the user's time zone, with the year if it is not the current one. */
export function exactText(instant: Date, now: number): string {
  const isThisYear = instant.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayAndTime : yearAndTime).format(instant);
}

/**
 * Formats the date and time of an hour in `timeZone` or the user's time zone, with the UTC offset where the end of
 * daylight saving time repeats the hour.
 */
export function createHourText(timeZone?: string): (instant: Date) => string {
  const hour = new Intl.DateTimeFormat(undefined, { ...parts, timeZone });
  const withOffset = new Intl.DateTimeFormat(undefined, { ...parts, timeZone, timeZoneName: 'shortOffset' });
  return (instant) => {
    const text = hour.format(instant);
    const isRepeated = [-3_600_000, 3_600_000].some(
      (ms) => hour.format(new Date(instant.getTime() + ms)) === text,
    );
    return isRepeated ? withOffset.format(instant) : text;
  };
}
