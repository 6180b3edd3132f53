import { expect, it } from 'vitest';
import { compareShares } from './chance.ts';

it.each([
  [0, 0, 0, 0, 'few'],
  [1, 2, 0, 2, 'few'],
  [0, 1_000, 4, 1_000, 'few'],
  [999, 1_000, 996, 1_000, 'few'],
  [10, 100, 12, 100, 'chance'],
  [200, 1_000, 236, 1_000, 'chance'],
  [200, 1_000, 237, 1_000, 'real'],
  [237, 1_000, 200, 1_000, 'real'],
  [20, 100, 2_360, 10_000, 'chance'],
])('%i of %i against %i of %i: %s', (part, total, otherPart, otherTotal, result) => {
  expect(compareShares({ part, total }, { part: otherPart, total: otherTotal })).toBe(result);
});
