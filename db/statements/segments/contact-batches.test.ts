import { expect, it } from 'vitest';
import { nextBatch } from './contact-batches.ts';

it('takes as many contacts as some two seconds suffice for', () => {
  expect(nextBatch(200, 200, 50)).toBe(800);
  expect(nextBatch(12_800, 12_800, 200)).toBe(20_000);
  expect(nextBatch(20_000, 20_000, 4_000)).toBe(10_000);
  expect(nextBatch(200, 200, 20_000)).toBe(20);
  expect(nextBatch(20, 20, 60_000)).toBe(10);
  expect(nextBatch(10, 10, 1_000)).toBe(20);
  // Of fewer contacts than there could be.
  expect(nextBatch(5_000, 3, 100)).toBe(5_000);
  expect(nextBatch(5_000, 1_000, 4_000)).toBe(500);
});
