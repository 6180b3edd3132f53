import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupByMemory } from './group-by-memory.ts';
import { openEmail } from './testing/open-email.ts';

const mega = 1024 * 1024;
const emails = fc
  .array(
    fc.record({
      content: fc.integer({ min: 0, max: 9 }),
      bytes: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 12 * mega })),
    }),
    { maxLength: 100 },
  )
  .map((drawn) => {
    const sizes = new Map(drawn.map(({ content, bytes }) => [content, bytes]));
    return drawn.map(({ content }, index) =>
      openEmail({
        id: String(index).padStart(3, '0'),
        contentId: String(content),
        bytes: sizes.get(content) ?? 0,
      }),
    );
  });

it('puts each email into one lot, small ones first, using no more memory than the lot declares', () => {
  fc.assert(
    fc.property(emails, (all) => {
      const lots = groupByMemory(all);
      const planned = lots.flatMap((lot) => lot.emails.map(({ id }) => id));
      expect(planned.toSorted()).toEqual(all.map(({ id }) => id));
      const firstLarge = lots.findIndex(({ isLarge }) => isLarge);
      for (const [index, lot] of lots.entries()) {
        const [one] = lot.emails;
        if (lot.isLarge) {
          expect(index).toBeGreaterThanOrEqual(firstLarge);
          expect(new Set(lot.emails.map(({ contentId }) => contentId)).size).toBe(1);
          expect(lot.bytes).toBe(2 * (one?.bytes ?? 0));
          expect(lot.emails.length).toBeLessThanOrEqual(8);
        } else {
          expect(lot.bytes).toBe(lot.emails.reduce((sum, { bytes }) => sum + bytes, 0));
          expect(lot.bytes).toBeLessThanOrEqual(8 * mega);
          const ids = lot.emails.map(({ id }) => id);
          expect(ids).toEqual(ids.toSorted());
        }
      }
    }),
  );
});
