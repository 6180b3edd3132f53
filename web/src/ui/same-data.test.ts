import { expect, it } from 'vitest';
import { isSameData } from './same-data.ts';

it('compares values in whatever order their keys stand', () => {
  const typed = { city: 'Berlin', zip: '10115', tags: [{ a: 1, b: 2 }] };
  const stored = { zip: '10115', tags: [{ b: 2, a: 1 }], city: 'Berlin' };
  expect(isSameData(typed, stored)).toBe(true);
  expect(isSameData(typed, { ...stored, tags: [{ a: 2, b: 1 }] })).toBe(false);
  expect(isSameData([1, 2], [2, 1])).toBe(false);
});
