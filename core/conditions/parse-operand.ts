import type { FieldIssue } from '../errors.ts';
import { isStorableText, unstorableText } from '../json-value.ts';
import type { Operand } from './condition.ts';
import { type DateText, parseDateText } from './date-text.ts';
import { foldCase } from './text-order.ts';

export type RawFilter = Record<string, unknown>;

export type Parsed<Value> = { ok: true; value: Value } | { ok: false; issue: FieldIssue };

const msPerUnit: ReadonlyMap<unknown, number> = new Map([
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
]);
const maxAmountMs = 36_500 * 86_400_000;
/** Event counts are stored as 32-bit integers. */
const maxCount = 2_147_483_647;

const accept = <Value>(value: Value): Parsed<Value> => ({ ok: true, value });

export function refuse(field: string, message: string, code: string, received?: unknown) {
  const issue: FieldIssue = { field, message, code };
  if (isScalar(received)) issue.received = received;
  return { ok: false, issue } as const;
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}

export function parseOperand({ value }: RawFilter): Parsed<Operand> {
  if (value === undefined || value === null) return refuse('value', 'A value is required', 'invalid_type');
  if (typeof value === 'boolean') return accept({ type: 'boolean', value });
  if (typeof value === 'number' && Number.isFinite(value)) return accept({ type: 'number', value });
  if (typeof value !== 'string') {
    return refuse('value', 'Expected a string, a number or a boolean', 'invalid_type');
  }
  if (!isStorableText(value)) return refuse('value', unstorableText, 'invalid_string');
  const date = parseDateText(value);
  return accept(date ? { type: 'date', value: date } : { type: 'string', value });
}

export function parseOrdered(raw: RawFilter): Parsed<Exclude<Operand, { type: 'boolean' }>> {
  const parsed = parseOperand(raw);
  if (!parsed.ok) return parsed;
  if (parsed.value.type !== 'boolean') return accept(parsed.value);
  return refuse('value', 'A boolean has no order', 'invalid_type', raw.value);
}

export function parseFoldedText(raw: RawFilter): Parsed<string> {
  const parsed = parseOperand(raw);
  if (!parsed.ok) return parsed;
  if (typeof raw.value === 'string') return accept(foldCase(raw.value));
  return refuse('value', 'Expected a string', 'invalid_type', raw.value);
}

export function parseBoolean(raw: RawFilter): Parsed<boolean> {
  const parsed = parseOperand(raw);
  if (!parsed.ok) return parsed;
  if (parsed.value.type === 'boolean') return accept(parsed.value.value);
  return refuse('value', 'Expected a boolean', 'invalid_type', raw.value);
}

export function parseDate(raw: RawFilter): Parsed<DateText> {
  const parsed = parseOperand(raw);
  if (!parsed.ok) return parsed;
  if (parsed.value.type === 'date') return accept(parsed.value.value);
  return refuse(
    'value',
    'Expected YYYY-MM-DD, or a date-time such as 2026-01-31T09:00:00Z or 2026-01-31T10:00:00+01:00',
    'invalid_value',
    raw.value,
  );
}

/** An amount with its `unit` (days by default), in whole milliseconds. */
export function parseDurationMs(raw: RawFilter, field: 'value' | 'within'): Parsed<number> {
  const amount = raw[field];
  if (amount === undefined || amount === null) return refuse(field, `A ${field} is required`, 'invalid_type');
  if (typeof amount !== 'number') return refuse(field, 'Expected a number', 'invalid_type', amount);
  const unitMs = msPerUnit.get(raw.unit ?? 'days');
  if (unitMs === undefined) {
    return refuse('unit', 'Expected days, hours or minutes', 'invalid_value', raw.unit);
  }
  if (!(amount > 0)) return refuse(field, 'Expected more than 0', 'too_small', amount);
  if (amount * unitMs > maxAmountMs) return refuse(field, 'Expected at most 36,500 days', 'too_big', amount);
  return accept(Math.max(1, Math.round(amount * unitMs)));
}

export function parseCount({ value }: RawFilter): Parsed<number> {
  if (value === undefined || value === null) return refuse('value', 'A value is required', 'invalid_type');
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return refuse('value', 'Expected a whole number', 'invalid_type', value);
  }
  if (value < 0) return refuse('value', 'Expected 0 or more', 'too_small', value);
  return value > maxCount ? refuse('value', `Expected at most ${maxCount}`, 'too_big', value) : accept(value);
}
