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

/** Browsers read February 30 as March 2; for the API it is a text. */
function isDate(text: string): boolean {
  const date = new Date(text);
  return (
    dateForm.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10))
  );
}

export type ReadValue = { ok: true; value: unknown } | { ok: false; message: string };

const refuse = (message: string): ReadValue => ({ ok: false, message });

/** Number of digits that a number keeps. */
const exactDigits = 15;

function readNumber(text: string): ReadValue {
  const value = Number(text);
  if (!Number.isFinite(value)) return refuse('Enter a number, such as 1000 or 2.5');
  const isExact = String(value) === text || text.replace(/\D/g, '').length <= exactDigits;
  return isExact ? { ok: true, value } : refuse('Choose the type Text: a number keeps only 15 digits');
}

/** Parses the text of a field. */
export function readDataText(text: string, type: DataType): ReadValue {
  if (text.trim() === '') return refuse('Enter a value, or delete the field');
  switch (type) {
    case 'text':
      return { ok: true, value: text };
    case 'number':
      return readNumber(text.trim());
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'date':
      return isDate(text.trim())
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
