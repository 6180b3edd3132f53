import { expect, it } from 'vitest';
import { labelledPoints, ticksUpTo } from './chart-scale.ts';

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [12, [0, 5, 10, 15]],
  [100, [0, 50, 100]],
  [12_408, [0, 5_000, 10_000, 15_000]],
])('lines of a chart up to %d stand at round values', (most, ticks) => {
  expect(ticksUpTo(most)).toEqual(ticks);
});

it('labels as many points as fit, the last among them', () => {
  expect(labelledPoints(5, 10)).toEqual([0, 1, 2, 3, 4]);
  expect(labelledPoints(31, 6)).toEqual([0, 6, 12, 18, 24, 30]);
  expect(labelledPoints(3, 0)).toEqual([2]);
});
