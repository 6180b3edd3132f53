const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
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

/**
 * Formats date and time in the user's time zone, with the year if it is not the current one of the user's calendar, which
 * need not be the Gregorian one.
 */
export function createExactText(locale?: string): (instant: Date, now: number) => string {
  const dayAndTime = new Intl.DateTimeFormat(locale, parts);
  const yearAndTime = new Intl.DateTimeFormat(locale, { ...parts, year: 'numeric' });
  const year = new Intl.DateTimeFormat(locale, { year: 'numeric' });
  return (instant, now) =>
    (year.format(instant) === year.format(now) ? dayAndTime : yearAndTime).format(instant);
}

export const exactText = createExactText();

/**
 * Formats the date and time of an hour in `timeZone` or the user's time zone, with the UTC offset where the end of
 * daylight saving time repeats the hour.
 */
export const createHourText = (timeZone?: string) => createTimeText({ ...parts, timeZone });

/** Like `createHourText`, for any time: "Tuesday, 1 December 2026 at 09:00". */
export const createFullText = (timeZone?: string) =>
  createTimeText({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  });

function createTimeText(format: Intl.DateTimeFormatOptions): (instant: Date) => string {
  const plain = new Intl.DateTimeFormat(undefined, format);
  const withOffset = new Intl.DateTimeFormat(undefined, { ...format, timeZoneName: 'shortOffset' });
  return (instant) => {
    const text = plain.format(instant);
    const isRepeated = [-3_600_000, 3_600_000].some(
      (ms) => plain.format(new Date(instant.getTime() + ms)) === text,
    );
    return isRepeated ? withOffset.format(instant) : text;
  };
}
