import { expect, it } from 'vitest';
import { contactsInNextPiece } from './campaign-batches.ts';

it('a piece of an audience has as many contacts as are evaluated in two seconds', () => {
  expect(contactsInNextPiece(200, 1_000)).toBe(400);
  expect(contactsInNextPiece(200, 20_000)).toBe(20);
  expect(contactsInNextPiece(200, 100_000)).toBe(10);
  // The next ones may have more data than those that were fast.
  expect(contactsInNextPiece(200, 20)).toBe(800);
  expect(contactsInNextPiece(3_200, 20)).toBe(5_000);
});
