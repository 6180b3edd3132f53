/** A field of `data` while it is edited; the id distinguishes rows with the same key. */
export interface DataRow {
  id: number;
  key: string;
  value: string;
}

export function rowsOf(data: unknown): DataRow[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).map(([key, value], id) => ({ id, key, value: valueText(value) }));
}

export function dataOf(rows: readonly DataRow[]): Record<string, unknown> {
  const named = rows.filter(({ key }) => key.trim() !== '');
  return Object.fromEntries(named.map(({ key, value }) => [key.trim(), readValue(value)]));
}

export function hasRepeatedKey(rows: readonly DataRow[]): boolean {
  const keys = rows.map(({ key }) => key.trim()).filter((key) => key !== '');
  return new Set(keys).size < keys.length;
}

/** Quotes a text that would otherwise parse as another type. */
function valueText(value: unknown): string {
  return typeof value === 'string' && readValue(value) === value ? value : JSON.stringify(value);
}

/** Parses valid JSON; returns any other text unchanged, and an integer that a number would round, such as a long id. */
function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const isLarge = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return isLarge && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}
