import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BatcherOptions, createBatcher } from './create-batcher.ts';

class RolledBack extends Error {}
const isRolledBack = (error: unknown) => error instanceof RolledBack;

/** A batcher whose batches end when the test says so. */
function manualBatcher(options: Partial<BatcherOptions<string, string>> = {}) {
  const runs: { items: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const batcher = createBatcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => `did ${item}`)), fail: reject });
      }),
    maxItems: 100,
    concurrency: 1,
    isRolledBack,
    ...options,
  });
  return { batcher, runs, batches: () => runs.map((run) => run.items) };
}

const settled = async () => {
  await immediate();
  await immediate();
};

describe('batches', () => {
  it('starts at once with what was submitted together, and gathers the rest while that runs', async () => {
    const { batcher, runs, batches } = manualBatcher();
    const early = [batcher.submit('a'), batcher.submit('b')];
    await settled();
    const late = [batcher.submit('c'), batcher.submit('d'), batcher.submit('e')];
    await settled();
    expect(batches()).toEqual([['a', 'b']]);
    expect(batcher.waiting).toBe(3);

    runs[0]?.end();
    expect(await Promise.all(early)).toEqual(['did a', 'did b']);
    await settled();
    expect(batches()).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]);
    expect(batcher.waiting).toBe(0);
    runs[1]?.end();
    expect(await Promise.all(late)).toEqual(['did c', 'did d', 'did e']);
  });

  it('keeps to the most items of a batch and the most batches in flight', async () => {
    const { batcher, runs, batches } = manualBatcher({ maxItems: 2, concurrency: 2 });
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((item) => batcher.submit(item));
    await settled();
    expect(batches()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    runs[1]?.end();
    await settled();
    expect(batches().slice(2)).toEqual([['e', 'f']]);
    runs[0]?.end();
    await settled();
    expect(batches().slice(3)).toEqual([['g']]);
    for (const run of runs) run.end();
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('keeps to the weight, lets lighter items by, and runs one that is too heavy alone', async () => {
    const { batcher, runs, batches } = manualBatcher({ weightOf: Number, maxWeight: 10 });
    const all = ['6', '5', '4', '99', '1'].map((item) => batcher.submit(item));
    for (let run = 0; run < 3; run += 1) {
      await settled();
      runs[run]?.end();
    }
    await Promise.all(all);
    expect(batches()).toEqual([['6', '4'], ['5', '1'], ['99']]);
  });
});

describe('items with a key in common', () => {
  it('never share a batch, and keep their order while others pass them', async () => {
    const { batcher, runs, batches } = manualBatcher({ keysOf: (item) => item.slice(0, -1).split('') });
    // Named by their keys and a number; ab2 shares a key with a1 and one with b3.
    const all = ['a1', 'ab2', 'b3', 'c4', 'c5'].map((item) => batcher.submit(item));
    for (let run = 0; run < 3; run += 1) {
      await settled();
      runs[run]?.end();
    }
    await Promise.all(all);
    expect(batches()).toEqual([['a1', 'c4'], ['ab2', 'c5'], ['b3']]);
  });

  it('never run at the same time either', async () => {
    const { batcher, runs, batches } = manualBatcher({ concurrency: 2, keysOf: (item) => [item.charAt(0)] });
    const all = ['a1', 'a2', 'b3'].map((item) => batcher.submit(item));
    await settled();
    expect(batches()).toEqual([['a1', 'b3']]);
    runs[0]?.end();
    await settled();
    expect(batches().slice(1)).toEqual([['a2']]);
    runs[1]?.end();
    await Promise.all(all);
  });

  it('share a batch, in their order, when they are of one kind', async () => {
    const { batcher, runs, batches } = manualBatcher({
      keysOf: (item) => [item.charAt(0)],
      kindOf: (item) => item.slice(2),
    });
    // Key, number, kind. The third of `a` is of another kind and holds the fourth up.
    const all = ['a1x', 'a2x', 'a3y', 'a4x', 'b5y'].map((item) => batcher.submit(item));
    for (let run = 0; run < 3; run += 1) {
      await settled();
      runs[run]?.end();
    }
    await Promise.all(all);
    expect(batches()).toEqual([['a1x', 'a2x', 'b5y'], ['a3y'], ['a4x']]);
  });

  it('cost no more than others when many of them wait', async () => {
    let keysAsked = 0;
    const batcher = createBatcher<number, number>({
      run: async (items) => items,
      maxItems: 500,
      concurrency: 2,
      keysOf: () => {
        keysAsked += 1;
        return ['hot'];
      },
      isRolledBack,
    });
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => batcher.submit(index)));
    expect(keysAsked).toBe(1_000);
  });
});

describe('a batch that fails', () => {
  it('is run item by item when it was rolled back, so that a bad item fails alone', async () => {
    const runs: string[][] = [];
    const batcher = createBatcher<string, string>({
      run: async (items) => {
        runs.push(items);
        if (items.some((item) => item.startsWith('bad'))) throw new RolledBack(`refused ${items.join()}`);
        return items.map((item) => `did ${item}`);
      },
      maxItems: 10,
      concurrency: 1,
      isRolledBack,
    });
    const answers = await Promise.allSettled(['a', 'bad1', 'b', 'bad2'].map((item) => batcher.submit(item)));
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
    ).toEqual(['did a', 'refused bad1', 'did b', 'refused bad2']);
    expect(runs).toEqual([['a', 'bad1', 'b', 'bad2'], ['a'], ['bad1'], ['b'], ['bad2']]);
  });

  it('is not run again when it may have been applied', async () => {
    const { batcher, runs } = manualBatcher();
    const both = Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
    await settled();
    runs[0]?.fail(new Error('connection lost'));
    expect(await both).toMatchObject([
      { status: 'rejected', reason: { message: 'connection lost' } },
      { status: 'rejected', reason: { message: 'connection lost' } },
    ]);
    expect(runs).toHaveLength(1);
    const next = batcher.submit('c');
    await settled();
    runs[1]?.end();
    expect(await next).toBe('did c');
  });

  it('rejects everyone when it does not answer each of its items', async () => {
    const batcher = createBatcher<string, string>({
      run: async () => ['one'],
      maxItems: 10,
      concurrency: 1,
      isRolledBack,
    });
    const answers = await Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
  });
});

interface RandomItem {
  id: number;
  keys: string[];
  kind: string;
  weight: number;
  bad: boolean;
  pauseBefore: boolean;
}

it('holds its promises for any items: each runs once, within the bounds, apart from and after its like', async () => {
  const itemsOf = fc.array(
    fc.record({
      keys: fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's', 't'), { maxLength: 2 }),
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
      async (drawn, stream, maxItems, concurrency, withKinds) => {
        const items: RandomItem[] = drawn.map((item, id) => ({ ...item, id }));
        const keysInFlight = new Set<string>();
        let inFlight = 0;
        const applied: RandomItem[] = [];
        const batcher = createBatcher<RandomItem, number>({
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
          weightOf: (item) => item.weight,
          maxWeight: 10,
          isRolledBack,
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
        for (const key of ['p', 'q', 'r', 's', 't']) {
          const order = applied.filter((item) => item.keys.includes(key)).map((item) => item.id);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        expect(batcher.waiting).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});

it('answers a lone item without waiting for company', async () => {
  const batcher = createBatcher<string, string>({
    run: async (items) => items,
    maxItems: 10,
    concurrency: 1,
    isRolledBack,
  });
  const winner = await Promise.race([batcher.submit('a'), delay(50, 'timer')]);
  expect(winner).toBe('a');
});
