/** A field of `data` while it is edited; the id tells rows with the same key apart. */
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

/** A text that would parse as another type is shown in quotes. */
function valueText(value: unknown): string {
  return typeof value === 'string' && readValue(value) === value ? value : JSON.stringify(value);
}

/** JSON where it is valid JSON, otherwise the text itself. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
