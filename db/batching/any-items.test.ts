import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Batcher } from './batcher.ts';
import { RolledBack } from './testing/manual-batcher.ts';

interface RandomItem {
  id: number;
  group: string;
  keys: string[];
  kind: string;
  weight: number;
  bad: boolean;
  pauseBefore: boolean;
}

it('keeps its guarantees for any items: each runs once, within the limits, and in order with items of the same key', async () => {
  const itemsOf = fc.array(
    fc.record({
      group: fc.constantFrom('g', 'h', 'i'),
      keys: fc.uniqueArray(fc.constantFrom('p', 'q', 'r'), { maxLength: 2 }),
      weight: fc.integer({ min: 0, max: 12 }),
      kind: fc.constantFrom('x', 'y'),
      bad: fc.boolean(),
      pauseBefore: fc.boolean(),
    }),
    { maxLength: 25 },
  );
  const durations = fc.infiniteStream(fc.integer({ min: 0, max: 2 }));
  await fc.assert(
    fc.asyncProperty(
      itemsOf,
      durations,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      fc.boolean(),
      async (drawn, stream, maxItems, concurrency, withKinds, withGroups) => {
        const items: RandomItem[] = drawn.map((item, id) => {
          return { ...item, id, keys: item.keys.map((key) => item.group + key) };
        });
        const keysInFlight = new Set<string>();
        let inFlight = 0;
        const applied: RandomItem[] = [];
        const batcher = new Batcher<RandomItem, number>({
          run: async (batch) => {
            inFlight += 1;
            expect(inFlight).toBeLessThanOrEqual(concurrency);
            expect(batch.length).toBeGreaterThanOrEqual(1);
            expect(batch.length).toBeLessThanOrEqual(maxItems);
            const weight = batch.reduce((sum, item) => sum + item.weight, 0);
            if (batch.length > 1) expect(weight).toBeLessThanOrEqual(10);
            const keys = new Set(batch.flatMap((item) => item.keys));
            for (const key of keys) {
              expect(keysInFlight.has(key)).toBe(false);
              const kinds = batch.filter((item) => item.keys.includes(key)).map((item) => item.kind);
              expect(withKinds ? new Set(kinds).size : kinds.length).toBe(1);
            }
            for (const key of keys) keysInFlight.add(key);
            const turns = stream.next().value;
            for (let turn = 0; turn < turns; turn += 1) await immediate();
            for (const key of keys) keysInFlight.delete(key);
            inFlight -= 1;
            if (batch.some((item) => item.bad)) throw new RolledBack('bad');
            applied.push(...batch);
            return batch.map((item) => item.id);
          },
          maxItems,
          concurrency,
          keysOf: (item) => item.keys,
          ...(withKinds && { kindOf: (item: RandomItem) => item.kind }),
          ...(withGroups && { groupOf: (item: RandomItem) => item.group }),
          weightOf: (item) => item.weight,
          maxWeight: 10,
        });
        const answers: Promise<PromiseSettledResult<number>[]>[] = [];
        for (const item of items) {
          if (item.pauseBefore) await immediate();
          answers.push(Promise.allSettled([batcher.submit(item)]));
        }
        const outcomes = (await Promise.all(answers)).flat();
        outcomes.forEach((outcome, index) => {
          if (items[index]?.bad) {
            expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'bad' } });
          } else expect(outcome).toEqual({ status: 'fulfilled', value: index });
        });
        const good = items.filter((item) => !item.bad);
        expect(applied.map((item) => item.id).sort((a, b) => a - b)).toEqual(good.map((item) => item.id));
        for (const key of new Set(items.flatMap((item) => item.keys))) {
          const order = applied.filter((item) => item.keys.includes(key)).map((item) => item.id);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        expect(batcher.waiting).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});
