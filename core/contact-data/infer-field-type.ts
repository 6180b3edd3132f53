import type { JsonValue } from '../json-value.ts';

export const fieldTypes = ['string', 'number', 'boolean', 'date'] as const;
export type FieldType = (typeof fieldTypes)[number];

const dateForm = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.\d{3})?Z)?$/;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * The type that the first non-null value of a key fixes for its field. A numeric string is a string; only `YYYY-MM-DD`
 * and `YYYY-MM-DDTHH:MM:SS[.sss]Z` of an existing day are dates; arrays and objects count as strings.
 */
export function inferFieldType(value: Exclude<JsonValue, null>): FieldType {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' && isDateText(value) ? 'date' : 'string';
}

export function isDateText(text: string): boolean {
  const match = dateForm.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const days = month === 2 && isLeapYear(year) ? 29 : (daysInMonth[month - 1] ?? 0);
  // Postgres has no year 0, and leap seconds are not stored.
  return year > 0 && day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
