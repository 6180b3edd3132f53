import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inferFieldType, isDateText } from './infer-field-type.ts';

describe('type inference', () => {
  it.each([
    [1, 'number'],
    [-0.5, 'number'],
    ['42', 'string'],
    ['', 'string'],
    [true, 'boolean'],
    ['true', 'string'],
    [[1], 'string'],
    [{ a: 1 }, 'string'],
    ['2024-02-29', 'date'],
    ['2023-02-29', 'string'],
    ['1900-02-29', 'string'],
    ['2000-02-29', 'date'],
    ['2024-04-31', 'string'],
    ['2024-00-10', 'string'],
    ['2024-13-01', 'string'],
    ['2024-01-00', 'string'],
    ['0000-01-01', 'string'],
    ['0001-01-01', 'date'],
    ['2024-1-1', 'string'],
    ['2024-01-01T00:00:00Z', 'date'],
    ['2024-01-01T23:59:59.999Z', 'date'],
    ['2024-01-01T24:00:00Z', 'string'],
    ['2024-01-01T00:60:00Z', 'string'],
    ['2024-01-01T00:00:60Z', 'string'],
    ['2024-01-01T00:00:00', 'string'],
    ['2024-01-01T00:00:00.1Z', 'string'],
    ['2024-01-01T00:00:00+02:00', 'string'],
    ['2024-01-01 00:00:00Z', 'string'],
    ['2024-01-01\n', 'string'],
    ['٢٠٢٤-01-01', 'string'],
  ] as const)('%j is a %s', (value, type) => {
    expect(inferFieldType(typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value)).toBe(type);
  });

  it('recognizes every date that a clock writes', () => {
    const range = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(isDateText(date.toISOString())).toBe(true);
        expect(isDateText(date.toISOString().slice(0, 10))).toBe(true);
      }),
    );
  });

  it('recognizes only days that exist', () => {
    const part = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), part(14), part(33), (year, month, day) => {
        const text = `${String(year).padStart(4, '0')}-${month}-${day}`;
        const date = new Date(0);
        date.setUTCFullYear(year, Number(month) - 1, Number(day));
        expect(isDateText(text)).toBe(date.toISOString().startsWith(text));
      }),
      { numRuns: 500 },
    );
  });
});
