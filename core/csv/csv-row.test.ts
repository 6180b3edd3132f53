import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvRow } from './csv-row.ts';

it('writes rows that a CSV reader reads back', () => {
  const cell = fc.string({ unit: 'binary' }).map((text) => `x${text}`);
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
      expect(parse(csvRow(cells), { record_delimiter: ['\r\n'] })).toEqual([cells]);
    }),
  );
  expect(csvRow([null, undefined, -5, true, { a: 1 }])).toBe(',,-5,true,"{""a"":1}"\r\n');
});

it.each(['=1+1', '+49 30', '-2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1'])(
  'leaves no formula in %j',
  (text) => {
    expect(csvRow([text]).replace(/^"/, '')).toMatch(/^'/);
  },
);
