const isoWithoutZone = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** A date alone is UTC already. */
const iso = /^(?:\d{4}|[+-]\d{6})(?:-\d\d(?:-\d\d)?)?(?:T.*)?$/;
/** Zones that a date parser knows by name, and offsets. */
const zone =
  /\b(?:ut|utc|gmt|[ecmp][sd]t)\b|\d\s*z\b|[+-]\d\d:?\d\d\s*(?:\(|$)|:\d\d(?:\.\d+)?\s*[+-]\d\d?\s*$/i;

/** Like `parseAnyInstant`, but the text must name a year and an existing day. */
export function parseInstant(text: string): Date | undefined {
  const instant = parseAnyInstant(text);
  return instant === undefined || isYearMadeUp(instant, text) || isDayMissing(text) ? undefined : instant;
}

// V8 takes February 30 for March 2.
function isDayMissing(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d?)-(\d\d?)(?!\d)/.exec(text) ?? [];
  return Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

// V8 ignores words that it does not know and assumes 2001: "tomorrow at 9" would be the first of September 2001.
function isYearMadeUp(instant: Date, text: string): boolean {
  return Math.abs(instant.getUTCFullYear() - 2001) <= 1 && !/200[0-2]/.test(text);
}

/**
 * Reads anything that a date parser accepts. A time without a zone is UTC, whatever the zone of the process.
 *
 * @returns undefined for anything else
 */
export function parseAnyInstant(text: string): Date | undefined {
  if (isoWithoutZone.test(text)) return validDate(Date.parse(`${text.replace(' ', 'T')}Z`));
  if (iso.test(text) || zone.test(text)) return validDate(Date.parse(text));
  return validDate(Date.parse(`${text} UTC`)) ?? validDate(Date.parse(text));
}

export function validDate(milliseconds: number): Date | undefined {
  const instant = new Date(milliseconds);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
