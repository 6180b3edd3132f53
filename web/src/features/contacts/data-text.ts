export const dataTypes = ['text', 'number', 'boolean', 'date', 'json'] as const;
export type DataType = (typeof dataTypes)[number];

const dateForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/;

export function dataTypeOf(value: unknown): DataType {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return dateForm.test(value) ? 'date' : 'text';
  return 'json';
}

/** The text of a value as it is edited. */
export const dataText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** Whether two values of a field are equal; the API always returns the keys of an object in the same order. */
export const isSameData = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export type ReadValue = { ok: true; value: unknown } | { ok: false; message: string };

const refuse = (message: string): ReadValue => ({ ok: false, message });

/** Parses the text of a field. */
export function readDataText(text: string, type: DataType): ReadValue {
  if (text.trim() === '') return refuse('Enter a value, or delete the field');
  switch (type) {
    case 'text':
      return { ok: true, value: text };
    case 'number':
      return Number.isFinite(Number(text)) ? { ok: true, value: Number(text) } : refuse('Enter a number');
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'date':
      return dateForm.test(text.trim()) && !Number.isNaN(Date.parse(text))
        ? { ok: true, value: text.trim() }
        : refuse('Enter a date such as 2026-01-31, or 2026-01-31T09:00:00Z');
    case 'json':
      try {
        return { ok: true, value: JSON.parse(text) };
      } catch {
        return refuse('Enter JSON');
      }
  }
}
