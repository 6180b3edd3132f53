import type { JsonValue } from '../json-value.ts';

export const fieldTypes = ['string', 'number', 'boolean', 'date'] as const;
export type FieldType = (typeof fieldTypes)[number];

/** Without leap seconds, which are not stored. */
const dateForm = /^(\d{4}-(?:0[1-9]|1[0-2])-[0-3]\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z)?$/;

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
  const day = dateForm.exec(text)?.[1];
  // Postgres has no year 0.
  if (day === undefined || day.startsWith('0000')) return false;
  // JavaScript takes 30 February for 1 March.
  return new Date(day).getUTCDate() === Number(day.slice(8));
}
