import { describe, expect, it } from 'vitest';
import { createNotationTally } from './notation.ts';
import { readCell } from './read-row.ts';

const noticesOf = (...cells: string[]) => {
  const tally = createNotationTally();
  for (const cell of cells) {
    tally.add({
      row: 2,
      ok: true,
      email: 'a@b.co',
      subscribed: undefined,
      data: { a: readCell(cell) },
      cells: [],
    });
  }
  return tally.notices();
};
const looksLike = (cell: string) => /look like (number|date)s/.exec(noticesOf(cell)[0]?.message ?? '')?.[1];

describe('a value that becomes text', () => {
  it.each(
    ['7,5', '-0,25', ',5', '.5', '1.234,50', '1,234.50', '1.234.567', '1,234', "1'234.50", '1 234,5'].concat([
      '1\u202f234,5',
      '−7,5',
      '€ 12',
      '$1,200.00',
      '12,5 %',
      '12%',
      '7,50 €',
    ]),
  )('looks like a number: %s', (cell) => {
    expect(typeof readCell(cell)).toBe('string');
    expect(looksLike(cell)).toBe('number');
  });

  it.each(
    ['31.12.2025', '1.2.2026', '12/31/2025', '31/12/25', '31-12-2025', '2025/12/31', '2025.12.31'].concat(
      ['2026-1-31', '2026-02-30', '2026-01-31 09:30:00', '2026-01-31T09:30', '2026-01-31T09:30:00+01:00'],
      ['31.12.2025 09:30', '12/31/2025, 9:30 AM'],
      ['31 Dec 2025', '1-Feb-26', '31. Dezember 2025', '5 août 2026', '3-ene-26'],
    ),
  )('looks like a date: %s', (cell) => {
    expect(looksLike(cell)).toBe('date');
  });

  it.each(
    [
      '01234',
      '007',
      '1234567890123456',
      '+49 30 1234',
      '+1',
      '030/123456',
      '2-4',
      '1,5,7',
      'v1.2',
      '99.99.2025',
      '10-RED-42',
      '12 Rue 75',
      '31 Room 2025',
    ].concat([
      '10.0.0.1',
      '€',
      '%',
      'n/a',
      'pro',
      '5 kg',
      'Room 7',
      '1e5',
      '7,5 or 8',
      '2026-01-31',
      '5',
      'true',
      '[1,5]',
    ]),
  )('or not, is not what it looks like: %s', (cell) => {
    expect(looksLike(cell)).toBeUndefined();
  });
});

describe('the notices of an import', () => {
  it('name fields most of whose values look alike, with an example', () => {
    expect(noticesOf('n/a', 'none', '7,5', '8')).toEqual([]);
    expect(noticesOf('8', '8', '8')).toEqual([]);
    expect(noticesOf('n/a', '7,5', '8,25')).toEqual([
      {
        field: 'a',
        message:
          '2 of 3 values look like numbers but are taken as text, such as "7,5". Write numbers as 1234.5 if segments should compare them.',
      },
    ]);
    expect(noticesOf('31.12.2025', '7,5')).toEqual([]);
    // What became numbers and dates shows what the others were meant as.
    expect(noticesOf('n/a', '7,5', '8', '9')[0]?.message).toMatch(/^1 of 4 values look like numbers/);
    expect(noticesOf('2026-01-31', '31.12.2025')[0]?.message).toMatch(/^1 of 2 values look like dates/);
  });

  it('have lost digits when a spreadsheet has shortened them, even if they are few', () => {
    expect(noticesOf('030 1234', '4.91512E+11', 'x', '4,91512E+12')).toEqual([
      {
        field: 'a',
        message:
          '2 of 4 values were shortened by a spreadsheet, which has lost digits, such as "4.91512E+11". Format the ' +
          'column as text or as a number without decimals there, and export it again.',
      },
    ]);
    expect(noticesOf('1e5', '1E5', '1.5e+21', '10E+5', 'E+11')).toEqual([]);
  });

  it('are at most 20', () => {
    const tally = createNotationTally();
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`c${at}`, '1,5']));
    tally.add({ row: 2, ok: true, email: 'a@b.co', subscribed: undefined, data, cells: [] });
    expect(tally.notices().map(({ field }) => field)).toEqual(
      Array.from({ length: 20 }, (_, at) => `c${at}`),
    );
  });
});
