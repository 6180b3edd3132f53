import { isDateText } from '../contact-data/infer-field-type.ts';

/**
 * A date in canonical form, `YYYY-MM-DDTHH:MM:SS.sssZ` with a four-digit year, so that instants compare as
 * texts and neither evaluation (SQL or TypeScript) ever casts. A date alone is midnight UTC with `isDay` set.
 */
export interface DateText {
  instant: string;
  isDay: boolean;
}

const dateTimeForm = /^(.{19})(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * Parses a date (`YYYY-MM-DD`) or a date-time with its UTC offset, which is more than field type inference
 * accepts. Stricter than RFC 3339: T and Z must be capitals. Fractions beyond milliseconds are truncated.
 *
 * @returns undefined for anything else, and for an instant before year 1 or after year 9999 UTC
 */
export function parseDateText(text: string): DateText | undefined {
  if (text.length === 10)
    return isDateText(text) ? { instant: `${text}T00:00:00.000Z`, isDay: true } : undefined;
  const [, local = '', fraction = '', sign, hours, minutes] = dateTimeForm.exec(text) ?? [];
  if (!isDateText(`${local}Z`)) return undefined;
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -60_000 : 60_000);
  const written = Date.parse(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  const instant = new Date(written - offsetMs).toISOString();
  const isYearOfFourDigits = instant.length === 24 && !instant.startsWith('0000');
  return isYearOfFourDigits ? { instant, isDay: false } : undefined;
}

function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** When either date is a day, only the UTC days are compared. */
export function isSameDate(one: DateText, other: DateText): boolean {
  if (one.isDay || other.isDay) return dayOf(one.instant) === dayOf(other.instant);
  return one.instant === other.instant;
}

export function instantBefore(now: Date, ms: number): string {
  return new Date(now.getTime() - ms).toISOString();
}
