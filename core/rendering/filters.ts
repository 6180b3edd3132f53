import { type FilterImplOptions, filters as liquidFilters, toValueSync } from 'liquidjs';
import { dateFilters, type FilterHandler } from './date-filters.ts';
import { renderContextOf } from './render-context.ts';
import { stripMarkup } from './strip-markup.ts';
import { isRecord, toText, weigh } from './values.ts';

type Self = ThisParameterType<FilterHandler>;

// Excluded: `sample` is random, so the HTML and the text of one email would differ; the `_exp` filters
// evaluate expressions built from data.
const isLeftOut = (name: string) => name === 'sample' || name.endsWith('_exp');

/** Outputs ending in these are not escaped: they escape themselves or disable escaping. */
export const rawFilters: ReadonlySet<string> = new Set(['raw', 'escape', 'escape_once', 'xml_escape']);

// They do far more than one unit of work per element.
const listFilters = new Set(
  'find find_index group_by has map reject sort sort_natural sum uniq where'.split(' '),
);
const listElementCost = 80;
// They parse property paths with liquidjs's tokenizer, which does not support names with spaces.
const pathFilters = new Set('find find_index group_by has reject where'.split(' '));
const pathCharacterCost = 10;

// Numeric parameters that are read once per character or element.
const numericParameters: Readonly<Record<string, readonly number[]>> = {
  slice: [0, 1],
  truncate: [0],
  truncatewords: [0],
};

// Stripping costs ten times as much per character as other filters.
const maxStrippedLength = 512 * 1024;

function bounded(name: string, handler: FilterHandler): FilterHandler {
  const numeric = numericParameters[name] ?? [];
  return function (this: Self, value, ...parameters) {
    const { budget } = renderContextOf(this.context);
    budget.step();
    weigh(value, budget);
    const width = parameters.reduce<number>((sum, parameter) => sum + weigh(parameter, budget), 0);
    for (const index of numeric) {
      if (parameters[index] !== undefined) parameters[index] = Number(parameters[index]);
    }
    if (listFilters.has(name)) {
      const [path] = parameters;
      // Once for all elements: the filters would convert the path to text for each.
      if (isRecord(path)) parameters[0] = toText(path, budget);
      if (pathFilters.has(name) && typeof parameters[0] === 'string')
        parameters[0] = bracketWords(parameters[0]);
      budget.spend(width * pathCharacterCost + elementsOf(value) * (listElementCost + width));
    }
    const result: unknown = toValueSync(handler.apply(this, [value, ...parameters]));
    if (typeof result === 'string') budget.spend(result.length);
    return result;
  };
}

function bracketWords(path: string): string {
  if (!/\S\s+\S/.test(path) || /["'[\]]/.test(path)) return path;
  return path
    .split('.')
    .map((name) => `["${name.trim()}"]`)
    .join('');
}

function elementsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 1;
}

/** liquidjs splits by an empty text into UTF-16 units, halves of an emoji or of a rare Chinese character among them. */
function split(this: Self, value: unknown, separator?: unknown): unknown {
  const handler = liquidFilters.split;
  if (typeof handler !== 'function') return value;
  const parts: unknown = handler.call(this, value, separator);
  return Array.isArray(parts) && (separator ?? '') === '' ? [...parts.join('')] : parts;
}

const handlers: Record<string, FilterImplOptions> = {
  ...liquidFilters,
  ...dateFilters,
  split,
  // Our own filter: the text of a value that contains HTML.
  plain_text: (value: unknown) =>
    typeof value === 'string' ? stripMarkup(value.slice(0, maxStrippedLength)) : value,
};

export const filters: ReadonlyMap<string, FilterHandler> = new Map(
  Object.entries(handlers).flatMap(([name, filter]) => {
    const handler = typeof filter === 'function' ? filter : filter.handler;
    return isLeftOut(name) ? [] : [[name, bounded(name, handler)]];
  }),
);
