import { Drop, toValue } from 'liquidjs';
import { type RenderBudget, RenderLimitExceeded } from './render-budget.ts';

const maxValueDepth = 100;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Charges the cost of reading a value deeply. A list that occurs several times is charged each time, so that
 * comparing, joining and printing are bounded for any value.
 *
 * @returns the cost
 */
export function weigh(value: unknown, budget: RenderBudget, depth = 0): number {
  if (typeof value === 'string') return pay(value.length + 1, budget);
  let cost = pay(1, budget);
  if (typeof value !== 'object' || value === null || value instanceof Drop) return cost;
  if (depth >= maxValueDepth) throw new RenderLimitExceeded('nesting');
  if (Array.isArray(value)) {
    for (const item of value) cost += weigh(item, budget, depth + 1);
    return cost;
  }
  for (const [key, item] of Object.entries(value)) {
    cost += pay(key.length, budget) + weigh(item, budget, depth + 1);
  }
  return cost;
}

function pay(units: number, budget: RenderBudget): number {
  budget.spend(units);
  return units;
}

/** Missing values are empty, lists are joined, objects are JSON. */
export function toText(value: unknown, budget: RenderBudget): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') return '';
  const plain: unknown = toValue(value);
  if (typeof plain !== 'object' || plain === null) return toText(plain, budget);
  weigh(plain, budget);
  if (Array.isArray(plain)) return plain.map((item) => toText(item, budget)).join('');
  return JSON.stringify(plain);
}
