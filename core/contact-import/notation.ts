import { isDateText } from '../contact-data/infer-field-type.ts';
import type { JsonValue } from '../json-value.ts';
import { columnOfKey } from './columns.ts';
import type { ImportRow } from './read-row.ts';

type OtherNotation = 'number' | 'date';

export interface ImportNotice {
  field: string;
  message: string;
}

interface Counts {
  values: number;
  /** Values in another notation. */
  number: number;
  date: number;
  /** Numbers such as 4.91512E+11: the spreadsheet wrote what it showed. */
  shortened: number;
  /** Values that became numbers and dates. */
  read: Record<OtherNotation, number>;
  example: Partial<Record<OtherNotation | 'shortened', string>>;
}

const mostNotices = 20;

const advice: Record<OtherNotation, string> = {
  number: 'Write numbers as 1234.5 if segments should compare them',
  date: 'Write dates as 2026-01-31 or 2026-01-31T09:30:00Z if segments should compare them',
};

/**
 * Finds fields most of whose values are numbers or dates, but some become text because of their notation, and fields with
 * numbers that a spreadsheet has shortened.
 */
export function createNotationTally() {
  const fields = new Map<string, Counts>();
  return {
    add(row: ImportRow) {
      if (!row.ok) return;
      for (const key in row.data) count(fields, key, row.data[key] ?? null);
    },
    /** At most 20, in the order in which the fields first had a value. */
    notices: (): ImportNotice[] => [...fields].flatMap(toNotice).slice(0, mostNotices),
  };
}

function count(fields: Map<string, Counts>, key: string, value: JsonValue): void {
  let counts = fields.get(key);
  if (counts === undefined) {
    counts = { values: 0, number: 0, date: 0, shortened: 0, read: { number: 0, date: 0 }, example: {} };
    fields.set(key, counts);
  }
  counts.values += 1;
  if (typeof value === 'number') counts.read.number += 1;
  if (typeof value !== 'string') return;
  if (isDateText(value)) {
    counts.read.date += 1;
    return;
  }
  const notation = shortened.test(value) ? 'shortened' : otherNotation(value);
  if (notation === undefined) return;
  counts[notation] += 1;
  counts.example[notation] ??= value;
}

function toNotice([key, counts]: [string, Counts]): ImportNotice[] {
  const field = columnOfKey(key);
  if (counts.shortened > 0) {
    const message =
      `${counts.shortened} of ${counts.values} values were shortened by a spreadsheet, which has lost digits, such as ` +
      `"${counts.example.shortened}". Format the column as text or as a number without decimals there, and export it again.`;
    return [{ field, message }];
  }
  const notation = (['number', 'date'] as const).find(
    (one) => counts[one] > 0 && (counts[one] + counts.read[one]) * 2 > counts.values,
  );
  if (notation === undefined) return [];
  const message =
    `${counts[notation]} of ${counts.values} values look like ${notation}s but are taken as text, ` +
    `such as "${counts.example[notation]}". ${advice[notation]}.`;
  return [{ field, message }];
}

const longest = 40;
const day = /^(?:\d{4}([-./])(\d\d?)\1(\d\d?)|(\d\d?)([-./])(\d\d?)\5(?:\d{4}|\d\d))(?:[ T,].*)?$/;
const month =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mrz|mai|okt|dez|fév|fev|avr|jui|aoû|déc|ene|abr|ago|dic)';
const namedDay = new RegExp(`^\\d\\d?\\.?[ -]${month}\\p{L}*\\.?[ -](?:\\d{4}|\\d\\d)$`, 'iu');
const shortened = /^[1-9](?:[.,]\d+)?E\+\d\d$/;
const decimal = /^[-−]?(?:[1-9]\d*|0)?[.,]\d+$/;
const thousands = /^[-−]?[1-9]\d{0,2}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?$/;
const integer = /^[-−]?(?:[1-9]\d{0,14}|0)$/;
const unit = /^\p{Sc}\s?|\s?[\p{Sc}%]$/u;

/** What a text that is no date, as an import makes it of a cell, may have been meant as, in another notation. */
function otherNotation(text: string): OtherNotation | undefined {
  // Most texts begin with a letter.
  if (text.length > longest || /^[a-z]/i.test(text) || !/\d/.test(text)) return undefined;
  if (namedDay.test(text)) return 'date';
  const parts = day.exec(text);
  if (parts !== null) {
    const numbers = [parts[2] ?? parts[4], parts[3] ?? parts[6]].map(Number);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    return low >= 1 && low <= 12 && high <= 31 ? 'date' : undefined;
  }
  const amount = text.replace(unit, '');
  if (decimal.test(amount) || thousands.test(amount)) return 'number';
  // Digits alone are text for a reason: leading zeros, or more than a number preserves.
  return amount !== text && integer.test(amount) ? 'number' : undefined;
}
