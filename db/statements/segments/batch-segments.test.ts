import { expect, it } from 'vitest';
import { batchSegments } from './batch-segments.ts';

const touched = new Map([
  ['data.plan', new Set(['ann', 'ben'])],
  ['data.city', new Set(['ben'])],
]);
const readers = (count: number, filters: number, inputs = ['data.plan']) =>
  Array.from({ length: count }, (_, index) => ({ id: `${inputs}-${index}`, inputs, filters }));
const sizes = (...segments: Parameters<typeof batchSegments>[0]) =>
  [...batchSegments(segments, touched)].map(({ bits }) => bits.size);

it('evaluates at most 50 segments in one statement', () => {
  expect(sizes(...readers(120, 2))).toEqual([50, 50, 20]);
});

it('evaluates at most 500 filters in one statement, or one segment', () => {
  expect(sizes(...readers(10, 396))).toEqual(Array.from({ length: 10 }, () => 1));
  expect(sizes(...readers(3, 500))).toEqual([1, 1, 1]);
  expect(sizes(...readers(12, 100))).toEqual([5, 5, 2]);
});

it('gives a segment the contacts of its inputs in every statement', () => {
  const batches = [
    ...batchSegments([...readers(2, 300, ['data.city']), ...readers(2, 200, ['data.plan'])], touched),
  ];
  const read = batches.flatMap(({ bits, contacts }) =>
    [...bits].map(([id, bit]) => [
      id,
      [...contacts].flatMap(([who, mask]) => ((mask & bit) === 0 ? [] : [who])).toSorted(),
    ]),
  );
  expect(Object.fromEntries(read)).toEqual({
    'data.city-0': ['ben'],
    'data.city-1': ['ben'],
    'data.plan-0': ['ann', 'ben'],
    'data.plan-1': ['ann', 'ben'],
  });
  expect(batches.map(({ bits }) => bits.size)).toEqual([1, 2, 1]);
});
