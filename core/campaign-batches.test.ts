import { expect, it } from 'vitest';
import { contactsInNextPiece } from './campaign-batches.ts';

it('a piece of an audience has as many contacts as are evaluated in two seconds', () => {
  expect(contactsInNextPiece(200, 20)).toBe(5_000);
  expect(contactsInNextPiece(200, 500)).toBe(800);
  expect(contactsInNextPiece(200, 100_000)).toBe(10);
  expect(contactsInNextPiece(10, 200)).toBe(100);
});
