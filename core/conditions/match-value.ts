import type { JsonObject, JsonValue } from '../json-value.ts';
import type { Comparison, DataTest, InstantTest, Operand, WorkflowPredicate } from './condition.ts';
import { type DateText, instantBefore, isSameDate, parseDateText } from './date-text.ts';
import { compareCodePoints, foldCase } from './text-order.ts';

export interface WorkflowVariables {
  context: JsonObject;
  event: JsonObject;
}

export function matchesVariable(
  { of, key, path, test }: Extract<WorkflowPredicate, { subject: 'variable' }>,
  variables: WorkflowVariables,
  now: Date,
): boolean {
  return matchesData(test, variableAt(variables[of], key, path), now);
}

/** Like `valueAt`, but the first key of a path may also contain dots, as step names do. */
function variableAt(data: JsonObject, key: string, path: readonly string[]): JsonValue | undefined {
  const value = valueAt(data, key, path);
  if (value !== undefined) return value;
  for (let length = path.length - 1; length > 1; length -= 1) {
    const inner = descend(data, [path.slice(0, length).join('.'), ...path.slice(length)]);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

export function valueAt(data: JsonObject, key: string, path: readonly string[]): JsonValue | undefined {
  return Object.hasOwn(data, key) ? data[key] : descend(data, path);
}

function descend(data: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Evaluates a test on a stored value; must agree with the SQL of `db/conditions`. */
export function matchesData(test: DataTest, stored: JsonValue | undefined, now: Date): boolean {
  if (stored === undefined || stored === null) return false;
  if (test.is === 'present') return true;
  if (test.is === 'oneOf') return test.values.some((value) => value === stored);
  if (test.is === 'containing') return typeof stored === 'string' && foldCase(stored).includes(test.text);
  const value = operandOf(stored);
  if (value === undefined) return false;
  if (test.is === 'equal') return isEqual(value, test.value);
  if (test.is === 'compared') return isOrdered(test.by, order(value, test.value));
  return value.type === 'date' && matchesInstant(test, value.value, now);
}

function operandOf(stored: Exclude<JsonValue, null>): Operand | undefined {
  if (typeof stored === 'number') return { type: 'number', value: stored };
  if (typeof stored === 'boolean') return { type: 'boolean', value: stored };
  if (typeof stored !== 'string') return undefined;
  const date = parseDateText(stored);
  return date ? { type: 'date', value: date } : { type: 'string', value: stored };
}

function isEqual(one: Operand, other: Operand): boolean {
  if (one.type === 'date') return other.type === 'date' && isSameDate(one.value, other.value);
  return one.type === other.type && one.value === other.value;
}

function order(one: Operand, other: Operand): number | undefined {
  if (one.type === 'number' && other.type === 'number') return one.value - other.value;
  if (one.type === 'string' && other.type === 'string') return compareCodePoints(one.value, other.value);
  if (one.type === 'date' && other.type === 'date') {
    return compareCodePoints(one.value.instant, other.value.instant);
  }
  return undefined;
}

function isOrdered(by: Comparison, difference: number | undefined): boolean {
  if (difference === undefined) return false;
  switch (by) {
    case 'greaterThan':
      return difference > 0;
    case 'lessThan':
      return difference < 0;
    case 'greaterThanOrEqual':
      return difference >= 0;
    case 'lessThanOrEqual':
      return difference <= 0;
  }
}

export function matchesInstant(test: InstantTest, date: DateText, now: Date): boolean {
  switch (test.is) {
    case 'equal':
      return isSameDate(date, test.value);
    case 'compared':
      return isOrdered(test.by, compareCodePoints(date.instant, test.value.instant));
    case 'present':
      return true;
    case 'within':
      return date.instant >= instantBefore(now, test.ms);
    case 'olderThan':
      return date.instant < instantBefore(now, test.ms);
  }
}
