import type { RenderContext } from './render-context.ts';
import { blankLiteral, emptyLiteral, isRecord, toText, weigh } from './values.ts';

/** Operators by how tightly they bind. `??` binds tightest: `plan ?? "free" == "free"` compares the fallback. */
export const operatorPrecedence: Readonly<Record<string, number>> = {
  '??': 3,
  '==': 2,
  '!=': 2,
  '<': 2,
  '>': 2,
  '<=': 2,
  '>=': 2,
  contains: 2,
  not: 1,
  and: 0,
  or: 0,
};

/** Liquid's truth: everything but false and what is missing. */
export function isTruthy(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

export function applyOperator(
  operator: string,
  left: unknown,
  right: unknown,
  context: RenderContext,
): unknown {
  switch (operator) {
    case '??':
      return left ?? right;
    case 'and':
      return isTruthy(left) && isTruthy(right);
    case 'or':
      return isTruthy(left) || isTruthy(right);
    case '==':
      return isEqual(left, right, context);
    case '!=':
      return !isEqual(left, right, context);
    case 'contains':
      return contains(left, right, context);
    default:
      return compare(operator, left, right);
  }
}

function isEqual(left: unknown, right: unknown, context: RenderContext): boolean {
  weigh(left, context.budget);
  weigh(right, context.budget);
  if (typeof right === 'symbol') return matchesLiteral(left, right);
  if (typeof left === 'symbol') return matchesLiteral(right, left);
  return isSame(left, right);
}

function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  return (left ?? null) === (right ?? null);
}

function matchesLiteral(value: unknown, literal: symbol): boolean {
  if (value === literal) return true;
  if (literal === blankLiteral) {
    if (!isTruthy(value) || (typeof value === 'string' && value.trim() === '')) return true;
  } else if (literal !== emptyLiteral) return false;
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function contains(left: unknown, right: unknown, context: RenderContext): boolean {
  weigh(left, context.budget);
  if (Array.isArray(left)) {
    context.budget.spend(left.length);
    weigh(right, context.budget);
    return left.some((item) => isSame(item, right));
  }
  if (right === null || right === undefined) return false;
  return typeof left === 'string' && left.includes(toText(right, context.budget));
}

function compare(operator: string, left: unknown, right: unknown): boolean {
  if (!isOrdered(left) || !isOrdered(right)) return false;
  // Two texts compare by code unit; a text beside a number is read as a number.
  const textual = typeof left === 'string' && typeof right === 'string';
  const one = textual ? left : Number(left);
  const other = textual ? right : Number(right);
  switch (operator) {
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    default:
      return one >= other;
  }
}

function isOrdered(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
