import { isDateText } from '../contact-data/infer-field-type.ts';

/**
 * A date in canonical form, `YYYY-MM-DDTHH:MM:SS.sssZ` with a year of four digits, so that instants compare as
 * texts: neither reading of a condition ever casts. A date alone is midnight UTC and remembers that it is a day.
 */
export interface DateText {
  instant: string;
  isDay: boolean;
}

/** @returns undefined when the text is not in one of the forms that count as dates. */
export function parseDateText(text: string): DateText | undefined {
  if (!isDateText(text)) return undefined;
  if (text.length === 10) return { instant: `${text}T00:00:00.000Z`, isDay: true };
  return { instant: text.length === 20 ? `${text.slice(0, 19)}.000Z` : text, isDay: false };
}

/** The UTC day of a canonical instant. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** Equality of dates: when one of them is a day, the days count. */
export function isSameDate(one: DateText, other: DateText): boolean {
  if (one.isDay || other.isDay) return dayOf(one.instant) === dayOf(other.instant);
  return one.instant === other.instant;
}

/** The canonical instant `ms` milliseconds before `now`. */
export function instantBefore(now: Date, ms: number): string {
  return new Date(now.getTime() - ms).toISOString();
}
