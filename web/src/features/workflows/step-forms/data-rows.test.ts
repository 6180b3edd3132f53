import { expect, test } from 'vitest';
import { dataOf, hasRepeatedKey, rowsOf } from './data-rows.ts';

test.each([
  [{ plan: 'pro' }],
  [{ seats: 3, active: true, gone: null }],
  [{ zip: '01067', number: '42', word: 'true', quoted: '"x"', empty: '' }],
  [{ tags: ['a', 'b'] }],
  [{ id: '12345678901234567890', large: 1e21, exact: 2 ** 60 }],
])('keeps %j through an edit', (data) => expect(dataOf(rowsOf(data))).toEqual(data));

test('leaves out rows without a name', () => expect(dataOf([{ id: 0, key: ' ', value: '1' }])).toEqual({}));

test.each(['12345678901234567890', '-9007199254740993', '1e400'])(
  'keeps %s, which a number would change, as text',
  (value) => expect(dataOf([{ id: 0, key: 'account', value }])).toEqual({ account: value }),
);

test.each([
  [['plan', 'seats', '', ''], false],
  [['plan', 'seats', 'plan '], true],
])('sees in %j whether a field is set twice: %s', (keys, isRepeated) =>
  expect(hasRepeatedKey(keys.map((key, id) => ({ id, key, value: '1' })))).toBe(isRepeated),
);
