const isoWithoutZone = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** A date alone is UTC already. */
const iso = /^(?:\d{4}|[+-]\d{6})(?:-\d\d(?:-\d\d)?)?(?:T.*)?$/;
/** Zones that a date parser knows by name, and offsets. */
const zone =
  /\b(?:ut|utc|gmt|[ecmp][sd]t)\b|\d\s*z\b|[+-]\d\d:?\d\d\s*(?:\(|$)|:\d\d(?:\.\d+)?\s*[+-]\d\d?\s*$/i;

/**
 * Reads anything that a date parser accepts. A time without a zone is UTC, whatever the zone of the process.
 *
 * @returns undefined for anything else
 */
export function parseInstant(text: string): Date | undefined {
  if (isoWithoutZone.test(text)) return validDate(Date.parse(`${text.replace(' ', 'T')}Z`));
  if (iso.test(text) || zone.test(text)) return validDate(Date.parse(text));
  return validDate(Date.parse(`${text} UTC`)) ?? validDate(Date.parse(text));
}

export function validDate(milliseconds: number): Date | undefined {
  const instant = new Date(milliseconds);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
