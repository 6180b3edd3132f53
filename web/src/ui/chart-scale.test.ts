import { expect, it } from 'vitest';
import { labeledPoints, ticksUpTo } from './chart-scale.ts';

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [12, [0, 5, 10, 15]],
  [100, [0, 50, 100]],
  [12_408, [0, 5_000, 10_000, 15_000]],
])('places the lines of a chart up to %d at round values', (most, ticks) => {
  expect(ticksUpTo(most)).toEqual(ticks);
});

it('labels as many points as fit, including the last', () => {
  expect(labeledPoints(5, 10)).toEqual([0, 1, 2, 3, 4]);
  expect(labeledPoints(31, 6)).toEqual([0, 6, 12, 18, 24, 30]);
  expect(labeledPoints(3, 0)).toEqual([2]);
});
