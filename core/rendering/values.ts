import { Drop, toValue } from 'liquidjs';
import { type RenderBudget, RenderLimitExceeded } from './render-budget.ts';

/** Levels of nested lists and objects that are read; data itself has at most 32 (`maxContactDataDepth`). */
const maxValueDepth = 100;

/** The literals `empty` and `blank`, which only comparisons understand. */
export const emptyLiteral = Symbol('empty');
export const blankLiteral = Symbol('blank');

// What Liquid's own loop objects offer; their other members are JavaScript, not template language.
const loopProperties = new Set([
  'col',
  'col0',
  'col_first',
  'col_last',
  'first',
  'index',
  'index0',
  'last',
  'length',
  'name',
  'rindex',
  'rindex0',
  'row',
]);

/**
 * Reads a property the way a template may: own properties of data, `size`, `first` and `last`, items of lists
 * by number (from the end when negative). Everything else is undefined, above all `constructor`, `__proto__`
 * and whatever else JavaScript objects inherit.
 */
export function readProperty(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return key === 'size' ? value.length : undefined;
  if (Array.isArray(value)) return readItem(value, key);
  if (typeof value !== 'object' || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
  if (value instanceof Drop) return readLoopProperty(value, String(key));
  if (isRecord(value) && Object.hasOwn(value, key)) return ownValue(value[key]);
  return key === 'size' ? Object.keys(value).length : undefined;
}

function readItem(list: readonly unknown[], key: unknown): unknown {
  if (key === 'size') return list.length;
  if (key === 'first') return list[0];
  if (key === 'last') return list.at(-1);
  const index = typeof key === 'string' && /^-?\d{1,9}$/.test(key) ? Number(key) : key;
  return typeof index === 'number' ? list.at(index) : undefined;
}

function readLoopProperty(loop: Drop, key: string): unknown {
  if (!loopProperties.has(key)) return undefined;
  const member: unknown = Reflect.get(loop, key);
  return typeof member === 'function' ? ownValue(member.call(loop)) : member;
}

function ownValue(value: unknown): unknown {
  return typeof value === 'function' ? undefined : value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Pays for reading a value to its depth. A list that holds another list many times costs as often as it would
 * be read, so what follows (comparing, joining, printing) is bounded however the value was put together.
 *
 * @returns what it cost
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

/** A value as it appears in the output: nothing for what is missing, lists joined, objects as JSON. */
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

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe inside HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => escapes[character] ?? '') : text;
}
