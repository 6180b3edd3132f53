import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareCodePoints, foldCase } from './text-order.ts';

it('orders texts as their UTF-8 bytes are ordered', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'Z', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𐀀') });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const bytes = Buffer.compare(Buffer.from(one), Buffer.from(other));
      expect(Math.sign(compareCodePoints(one, other))).toBe(bytes);
    }),
    { numRuns: 1_000 },
  );
});

it('folds letter by letter, so that a part of a text is found in the whole', () => {
  expect(foldCase('ΟΔΟΣ İZ STRASSE ẞ')).toBe('οδοσ iz strasse ß');
  const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(foldCase(one + other)).toBe(foldCase(one) + foldCase(other));
      expect(foldCase(foldCase(one))).toBe(foldCase(one));
    }),
  );
});
