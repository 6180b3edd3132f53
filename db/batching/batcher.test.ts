import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Batcher } from './batcher.ts';
import { manualBatcher, settled } from './testing/manual-batcher.ts';

describe('batches', () => {
  it('starts immediately with what was submitted together, and collects the rest while that runs', async () => {
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

  it('respects the limits of items per batch and of batches in flight', async () => {
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

  it('starts a batch beside another one only when enough items are waiting', async () => {
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

  it('starts a small batch beside a slow one', async () => {
    const { batcher, runs, batches } = manualBatcher({ concurrency: 2, minBeside: 3, maxHoldMs: 5 });
    const all = [batcher.submit('a')];
    await settled();
    all.push(batcher.submit('b'));
    await vi.waitUntil(() => runs.length === 2, 20_000);
    expect(batches()).toEqual([['a'], ['b']]);
    for (const run of runs) run.end();
    expect(await Promise.all(all)).toHaveLength(2);
  });

  it('starts a shared batch immediately beside one that runs alone', async () => {
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

  it('respects the weight limit, lets lighter items pass, and runs a heavy one alone', async () => {
    const { batcher, runs, batches } = manualBatcher({ weightOf: Number, maxWeight: 10 });
    const all = ['3', '4', '5', '99', '1'].map((item) => batcher.submit(item));
    for (let run = 0; run < 3; run += 1) {
      await settled();
      runs[run]?.end();
    }
    await Promise.all(all);
    expect(batches()).toEqual([['99'], ['3', '4', '1'], ['5']]);
  });

  it('of heavy items leave room for light ones', async () => {
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
  it('take turns, however much one of them has waiting', async () => {
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

  it('may fill only half of the waiting weight; more is rejected', async () => {
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

  it('never run concurrently either', async () => {
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

  it('share a batch, in order, when they are of the same kind', async () => {
    const { batcher, runs, batches } = manualBatcher({
      keysOf: (item) => [item.charAt(0)],
      kindOf: (item) => item.slice(2),
    });
    // Key, number, kind. The third item of `a` is of another kind and holds up the fourth.
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
    const batcher = new Batcher<number, number>({
      run: async (items) => items,
      maxItems: 500,
      concurrency: 2,
      keysOf: () => {
        keysAsked += 1;
        return ['hot'];
      },
    });
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => batcher.submit(index)));
    expect(keysAsked).toBe(1_000);
  });
});

it('answers a lone item without waiting for others', async () => {
  const batcher = new Batcher<string, string>({
    run: async (items) => items,
    maxItems: 10,
    concurrency: 1,
  });
  // No timer of the batcher ever fires.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const winner = await Promise.race([batcher.submit('a'), delay(10_000, 'timer')]);
  expect(winner).toBe('a');
});
