import { expect, it } from 'vitest';
import { type DataType, dataText, dataTypeOf, readDataText } from './data-text.ts';

it.each<[unknown, DataType]>([
  ['business', 'text'],
  ['5', 'text'],
  [5, 'number'],
  [0.1 + 0.2, 'number'],
  [1e21, 'number'],
  [false, 'boolean'],
  ['2026-01-31', 'date'],
  ['2026-01-31T09:00:00.000Z', 'date'],
  [{ city: 'Oslo' }, 'json'],
  [[1, 2], 'json'],
])('edits %j as %s and leaves it unchanged', (value, type) => {
  expect(dataTypeOf(value)).toBe(type);
  expect(readDataText(dataText(value), type)).toEqual({ ok: true, value });
});

it.each<[string, DataType]>([
  [' ', 'text'],
  ['five', 'number'],
  ['12345678901234567890', 'number'],
  ['31.1.2026', 'date'],
  ['2026-13-31', 'date'],
  ['2026-02-30', 'date'],
  ['2026-02-29T09:00:00Z', 'date'],
  ['{', 'json'],
])('rejects %j as %s', (text, type) => {
  expect(readDataText(text, type).ok).toBe(false);
});
