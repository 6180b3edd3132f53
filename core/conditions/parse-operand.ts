import type { FieldIssue } from '../errors.ts';
import { isStorableText, unstorableText } from '../json-value.ts';
import type { ListedValue, Operand } from './condition.ts';
import { type DateText, parseDateText } from './date-text.ts';
import { foldCase } from './text-order.ts';

export type RawFilter = Record<string, unknown>;

const msPerUnit: ReadonlyMap<unknown, number> = new Map([
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
]);
const mostListed = 100;
const maxAmountMs = 36_500 * 86_400_000;
/** Event counts are stored as 32-bit integers. */
const maxCount = 2_147_483_647;

/** Why a filter is not accepted; `field` is relative to the filter. */
export class Refused extends Error {
  readonly issue: FieldIssue;

  constructor(field: string, message: string, code: string, received?: unknown) {
    super(message);
    this.issue = { field, message, code, ...(isScalar(received) && { received }) };
  }
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}

/** @throws Refused, like all below */
export function parseOperand({ value }: RawFilter): Operand {
  if (value === undefined || value === null) {
    throw new Refused('value', 'A value is required', 'invalid_type');
  }
  if (typeof value === 'boolean') return { type: 'boolean', value };
  if (typeof value === 'number' && Number.isFinite(value)) return { type: 'number', value };
  if (typeof value !== 'string') {
    throw new Refused('value', 'Expected a string, a number or a boolean', 'invalid_type');
  }
  if (!isStorableText(value)) throw new Refused('value', unstorableText, 'invalid_string');
  const date = parseDateText(value);
  return date ? { type: 'date', value: date } : { type: 'string', value };
}

export function parseList({ value }: RawFilter): ListedValue[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new Refused('value', 'Expected a list of values', 'invalid_type', value);
  }
  if (value.length > mostListed) {
    throw new Refused('value', `Expected at most ${mostListed} values`, 'too_big');
  }
  return value.map((one: unknown) => {
    const operand = parseOperand({ value: one });
    if (operand.type !== 'date') return operand.value;
    throw new Refused(
      'value',
      "A list can't hold dates; compare with each in a filter of its own",
      'invalid_value',
      one,
    );
  });
}

export function parseOrdered(raw: RawFilter): Exclude<Operand, { type: 'boolean' }> {
  const operand = parseOperand(raw);
  if (operand.type !== 'boolean') return operand;
  throw new Refused('value', 'A boolean has no order', 'invalid_type', raw.value);
}

export function parseFoldedText(raw: RawFilter): string {
  parseOperand(raw);
  if (typeof raw.value === 'string') return foldCase(raw.value);
  throw new Refused('value', 'Expected a string', 'invalid_type', raw.value);
}

export function parseBoolean(raw: RawFilter): boolean {
  const operand = parseOperand(raw);
  if (operand.type === 'boolean') return operand.value;
  throw new Refused('value', 'Expected a boolean', 'invalid_type', raw.value);
}

export function parseDate(raw: RawFilter): DateText {
  const operand = parseOperand(raw);
  if (operand.type === 'date') return operand.value;
  throw new Refused(
    'value',
    'Expected YYYY-MM-DD, or a date-time such as 2026-01-31T09:00:00Z or 2026-01-31T10:00:00+01:00',
    'invalid_value',
    raw.value,
  );
}

/** An amount with its `unit` (days by default), in whole milliseconds. */
export function parseDurationMs(raw: RawFilter, field: 'value' | 'within'): number {
  const amount = raw[field];
  if (amount === undefined || amount === null) {
    throw new Refused(field, `A ${field} is required`, 'invalid_type');
  }
  if (typeof amount !== 'number') throw new Refused(field, 'Expected a number', 'invalid_type', amount);
  const unitMs = msPerUnit.get(raw.unit ?? 'days');
  if (unitMs === undefined) {
    throw new Refused('unit', 'Expected days, hours or minutes', 'invalid_value', raw.unit);
  }
  if (!(amount > 0)) throw new Refused(field, 'Expected more than 0', 'too_small', amount);
  if (amount * unitMs > maxAmountMs) {
    throw new Refused(field, 'Expected at most 36,500 days', 'too_big', amount);
  }
  return Math.max(1, Math.round(amount * unitMs));
}

export function parseCount({ value }: RawFilter, most = maxCount): number {
  if (value === undefined || value === null) {
    throw new Refused('value', 'A value is required', 'invalid_type');
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new Refused('value', 'Expected a whole number', 'invalid_type', value);
  }
  if (value < 0) throw new Refused('value', 'Expected 0 or more', 'too_small', value);
  if (value > most) throw new Refused('value', `Expected at most ${most}`, 'too_big', value);
  return value;
}
