import { expect, test } from 'vitest';
import { dataOf, rowsOf } from './data-rows.ts';

test.each([
  [{ plan: 'pro' }],
  [{ seats: 3, active: true, gone: null }],
  [{ zip: '01067', number: '42', word: 'true', quoted: '"x"', empty: '' }],
  [{ tags: ['a', 'b'] }],
])('keeps %j through an edit', (data) => expect(dataOf(rowsOf(data))).toEqual(data));

test('leaves out rows without a name', () => expect(dataOf([{ id: 0, key: ' ', value: '1' }])).toEqual({}));
