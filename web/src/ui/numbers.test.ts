import { expect, it } from 'vitest';
import { rate, share } from './numbers.ts';

it('a share is a percentage of the whole, and a dash of nothing', () => {
  expect([share(1, 8), share(3, 3), share(0, 5)]).toEqual([rate(12.5), rate(100), rate(0)]);
  expect(rate(12.5)).toMatch(/^12.5\s?%$/);
  expect(share(0, 0)).toBe('–');
});
