import type { Bind } from '../sql.ts';

/**
 * The value in the contact's `data`: by the literal key first, then by the path; null when missing. Resolves object
 * keys only, not array indexes.
 */
export function dataValueSql(key: string, path: readonly string[], bind: Bind): string {
  const steps = (keys: readonly string[]) => keys.map((step) => ` -> ${bind(step)}::text`).join('');
  const literal = `c.data${steps([key])}`;
  return path.length > 1 ? `coalesce(${literal}, c.data${steps(path)})` : `(${literal})`;
}

export function dataTextSql(value: string, path: readonly string[]): string {
  return path.length === 1 ? value.replace(' -> ', ' ->> ') : `(${value} #>> '{}')`;
}
