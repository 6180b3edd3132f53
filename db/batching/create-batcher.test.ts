import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
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

  it('starts a batch beside another one only when enough waits for it', async () => {
    const { batcher, runs, batches } = manualBatcher({
      concurrency: 2,
      minBeside: 3,
      maxHoldMs: 600_000,
      maxItems: 3,
    });
    const all = [batcher.submit('a')];
    await settled();
    all.push(batcher.submit('b'), batcher.submit('c'));
    await settled();
    expect(batches()).toEqual([['a']]);
    all.push(batcher.submit('d'));
    await settled();
    expect(batches().slice(1)).toEqual([['b', 'c', 'd']]);
    all.push(batcher.submit('e'));
    await settled();
    for (const run of runs) run.end();
    await settled();
    expect(batches().slice(2)).toEqual([['e']]);
    runs[2]?.end();
    expect(await Promise.all(all)).toHaveLength(5);
  });

  it('starts a small batch beside one that takes long', async () => {
    const { batcher, runs, batches } = manualBatcher({ concurrency: 2, minBeside: 3, maxHoldMs: 5 });
    const all = [batcher.submit('a')];
    await settled();
    all.push(batcher.submit('b'));
    await vi.waitUntil(() => runs.length === 2, 20_000);
    expect(batches()).toEqual([['a'], ['b']]);
    for (const run of runs) run.end();
    expect(await Promise.all(all)).toHaveLength(2);
  });

  it('starts a shared batch at once beside one that runs alone', async () => {
    const { batcher, runs, batches } = manualBatcher({
      ...{ concurrency: 2, minBeside: 3, maxHoldMs: 600_000, weightOf: Number, maxWeight: 10 },
    });
    const all = [batcher.submit('50')];
    await settled();
    all.push(batcher.submit('1'));
    await settled();
    expect(batches()).toEqual([['50'], ['1']]);
    for (const run of runs) run.end();
    expect(await Promise.all(all)).toHaveLength(2);
  });

  it('keeps to the weight, lets lighter items by, and runs a heavy one alone', async () => {
    const { batcher, runs, batches } = manualBatcher({ weightOf: Number, maxWeight: 10 });
    const all = ['3', '4', '5', '99', '1'].map((item) => batcher.submit(item));
    for (let run = 0; run < 3; run += 1) {
      await settled();
      runs[run]?.end();
    }
    await Promise.all(all);
    expect(batches()).toEqual([['99'], ['3', '4', '1'], ['5']]);
  });

  it('of heavy items leave a place free for light ones', async () => {
    const { batcher, runs, batches } = manualBatcher({ weightOf: Number, maxWeight: 10, concurrency: 2 });
    const all = ['50', '51', '52', '1'].map((item) => batcher.submit(item));
    await settled();
    expect(batches()).toEqual([['50'], ['1']]);
    for (let run = 0; run < 4; run += 1) {
      runs[run]?.end();
      await settled();
    }
    await Promise.all(all);
    expect(batches().slice(2)).toEqual([['51'], ['52']]);
  });
});

describe('groups', () => {
  it('take turns, whatever waits of one of them', async () => {
    const { batcher, runs, batches } = manualBatcher({ maxItems: 3, groupOf: (item) => item.charAt(0) });
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'c1'].map((item) => batcher.submit(item));
    for (let run = 0; run < 3; run += 1) {
      await settled();
      runs[run]?.end();
    }
    await Promise.all(all);
    expect(batches()).toEqual([
      ['a1', 'b1', 'c1'],
      ['a2', 'a3', 'a4'],
      ['a5', 'a6'],
    ]);
  });

  it('have no more than half of the weight that may wait, and what is beyond is refused', async () => {
    const { batcher, runs } = manualBatcher({
      weightOf: () => 1,
      maxWaitingWeight: 6,
      groupOf: (item) => item.charAt(0),
    });
    const taken = ['a1', 'a2', 'a3'].map((item) => batcher.submit(item));
    const busy = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 };
    await expect(batcher.submit('a4')).rejects.toMatchObject(busy);
    taken.push(...['b1', 'b2', 'c1'].map((item) => batcher.submit(item)));
    await expect(batcher.submit('d1')).rejects.toMatchObject(busy);
    await settled();
    runs[0]?.end();
    await Promise.all(taken);
    const after = batcher.submit('a5');
    await settled();
    runs[1]?.end();
    expect(await after).toBe('did a5');
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
  /** Refuses batches with an item that begins with `bad`. */
  function strictBatcher(options: Partial<BatcherOptions<string, string>> = {}) {
    const runs: string[][] = [];
    const batcher = createBatcher<string, string>({
      run: async (items) => {
        runs.push(items);
        await immediate();
        if (items.some((item) => item.startsWith('bad'))) throw new RolledBack(`refused ${items.join()}`);
        return items.map((item) => `did ${item}`);
      },
      maxItems: 500,
      concurrency: 2,
      isRolledBack,
      ...options,
    });
    return { batcher, runs };
  }

  it('is taken apart when it was rolled back, so that a bad item fails alone', async () => {
    const { batcher, runs } = strictBatcher({ concurrency: 1 });
    const answers = await Promise.allSettled(['a', 'bad1', 'b', 'bad2'].map((item) => batcher.submit(item)));
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
    ).toEqual(['did a', 'refused bad1', 'did b', 'refused bad2']);
    expect(runs).toEqual([
      ['a', 'bad1', 'b', 'bad2'],
      ['a', 'bad1'],
      ['a'],
      ['bad1'],
      ['b', 'bad2'],
      ['b'],
      ['bad2'],
    ]);
  });

  it('is taken apart by halves: one bad item among 500 costs few runs', async () => {
    for (const groupOf of [undefined, () => 'one']) {
      const { batcher, runs } = strictBatcher({ ...(groupOf && { groupOf }) });
      const items = Array.from({ length: 500 }, (_, index) => (index === 321 ? 'bad' : `item ${index}`));
      const answers = await Promise.allSettled(items.map((item) => batcher.submit(item)));
      expect(answers.filter((answer) => answer.status === 'rejected')).toHaveLength(1);
      expect(runs.length).toBeLessThan(30);
    }
  });

  it('makes its group go alone: the calls of others never wait for 10,000 bad items', async () => {
    const { batcher, runs } = strictBatcher({ groupOf: (item) => item.split(' ')[0] ?? '' });
    let isOver = false;
    const flood = Promise.allSettled(
      Array.from({ length: 10_000 }, (_, index) => batcher.submit(`bad ${index}`)),
    ).then((answers) => {
      isOver = true;
      return answers;
    });
    const runsBetween: number[] = [];
    for (let call = 0; !isOver; call += 1) {
      const before = runs.length;
      expect(await batcher.submit(`quiet ${call}`)).toBe(`did quiet ${call}`);
      runsBetween.push(runs.length - before);
    }
    expect((await flood).every((answer) => answer.status === 'rejected')).toBe(true);
    // Its own run, those of the others that were in flight, and the few that began meanwhile.
    expect(Math.max(...runsBetween)).toBeLessThanOrEqual(10);
    expect(runsBetween.length).toBeGreaterThan(1_000);
    expect(runs.length).toBeLessThan(10_000 + runsBetween.length + 100);
    const mixed = runs.filter((items) => new Set(items.map((item) => item.split(' ')[0])).size > 1);
    expect(mixed.length).toBeLessThanOrEqual(1);
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
  group: string;
  keys: string[];
  kind: string;
  weight: number;
  bad: boolean;
  pauseBefore: boolean;
}

it('holds its promises for any items: each runs once, within the bounds, apart from and after its like', async () => {
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
          ...(withGroups && { groupOf: (item: RandomItem) => item.group }),
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
