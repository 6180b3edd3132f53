import { type FilterImplOptions, filters as liquidFilters, Tokenizer, toValueSync } from 'liquidjs';
import { dateFilters } from './date-filters.ts';
import type { RenderContext } from './render-context.ts';
import { stripMarkup } from './strip-markup.ts';
import { blankLiteral, emptyLiteral, isRecord, toText, weigh } from './values.ts';

// Left out: `sample` is random, so that the HTML and the text of one email would differ; the `_exp` filters
// evaluate expressions made from data.
const leftOut = new Set([
  'sample',
  'where_exp',
  'reject_exp',
  'group_by_exp',
  'has_exp',
  'find_index_exp',
  'find_exp',
]);

// They do far more than one unit of work for each element.
const listFilters = new Set([
  'find',
  'find_index',
  'group_by',
  'has',
  'map',
  'reject',
  'sort',
  'sort_natural',
  'sum',
  'uniq',
  'where',
]);
const listElementCost = 80;
// They read the path of a property as Liquid does, which knows no names with spaces; the others split it at the dots.
const pathFilters = new Set(['find', 'find_index', 'group_by', 'has', 'reject', 'where']);
/** For each character of a property's path, which is parsed before it is followed. */
const pathCharacterCost = 10;

// Parameters that are numbers and are looked at once for each character or element.
const numericParameters: Readonly<Record<string, readonly number[]>> = {
  slice: [0, 1],
  truncate: [0],
  truncatewords: [0],
};

type FilterHandler = Extract<FilterImplOptions, (...parameters: never[]) => unknown>;

const handlers = new Map<string, FilterHandler>();
for (const [name, filter] of Object.entries(liquidFilters)) {
  if (!leftOut.has(name)) handlers.set(name, typeof filter === 'function' ? filter : filter.handler);
}
// Not in Liquid: the text of a value that holds HTML.
handlers.set('plain_text', (value: unknown) => (typeof value === 'string' ? stripMarkup(value) : value));

/** The token of `raw`, which marks an output that is not escaped. */
export const rawFilterToken = new Tokenizer('x | raw').readFilteredValue().filters.slice(0, 1);

export function isFilter(name: string): boolean {
  return handlers.has(name);
}

/**
 * Runs one filter, paid for by the size of everything it reads and makes.
 *
 * @throws whatever the filter throws when it is given values that it can't handle; the output is then empty
 */
export function applyFilter(
  name: string,
  value: unknown,
  parameters: unknown[],
  context: RenderContext,
): unknown {
  const { budget } = context;
  const handler = handlers.get(name);
  const [token] = rawFilterToken;
  if (!handler || !token) return value;
  budget.step();
  weigh(value, budget);
  const width = parameters.reduce<number>((sum, parameter) => sum + weigh(parameter, budget), 0);
  const input = literalToValue(value);
  const dateFilter = dateFilters[name];
  if (dateFilter) return dateFilter(input, parameters, context);
  const given = parameters.map(literalToValue);
  for (const index of numericParameters[name] ?? []) {
    if (given[index] !== undefined) given[index] = Number(given[index]);
  }
  if (listFilters.has(name)) {
    const [path] = given;
    // Once for all elements: the filters would make the text of the path anew for each.
    if (isRecord(path)) given[0] = toText(path, budget);
    if (pathFilters.has(name) && typeof given[0] === 'string') given[0] = bracketWords(given[0]);
    budget.spend(width * pathCharacterCost + elementsOf(input) * (listElementCost + width));
  }
  const self = { context, token, liquid: context.liquid };
  const result: unknown = toValueSync(handler.apply(self, [input, ...given]));
  if (typeof result === 'string') budget.spend(result.length);
  return result;
}

/** `made in.big city` as `["made in"]["big city"]`. */
function bracketWords(path: string): string {
  if (!/\S\s+\S/.test(path) || /["'[\]]/.test(path)) return path;
  return path
    .split('.')
    .map((name) => `["${name.trim()}"]`)
    .join('');
}

/** How many elements a filter for lists sees in a value. */
function elementsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 1;
}

function literalToValue(value: unknown): unknown {
  return value === emptyLiteral || value === blankLiteral ? '' : value;
}
