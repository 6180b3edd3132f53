import type { Bind } from './bind.ts';

/**
 * The value of a contact `c` under a key of `data`: the key literally first, then the path below it; null where
 * there is none. The operator finds object keys only: an index into an array is nothing here, as in the evaluator.
 */
export function dataValueSql(key: string, path: readonly string[], bind: Bind): string {
  const steps = (keys: readonly string[]) => keys.map((step) => ` -> ${bind(step)}::text`).join('');
  const literal = `c.data${steps([key])}`;
  return path.length > 1 ? `coalesce(${literal}, c.data${steps(path)})` : `(${literal})`;
}

/** The text of what `dataValueSql` answered for `path`: of a string itself, of anything else its JSON. */
export function dataTextSql(value: string, path: readonly string[]): string {
  // One step less, and cheaper.
  return path.length === 1 ? value.replace(' -> ', ' ->> ') : `(${value} #>> '{}')`;
}
