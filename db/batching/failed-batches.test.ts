import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Batcher, type BatcherOptions } from './batcher.ts';
import { manualBatcher, RolledBack, settled } from './testing/manual-batcher.ts';

describe('a batch that fails', () => {
  /** Rejects batches with an item that begins with `bad`. */
  function strictBatcher(options: Partial<BatcherOptions<string, string>> = {}) {
    const runs: string[][] = [];
    const batcher = new Batcher<string, string>({
      run: async (items) => {
        runs.push(items);
        await immediate();
        if (items.some((item) => item.startsWith('bad'))) throw new RolledBack(`refused ${items.join()}`);
        return items.map((item) => `did ${item}`);
      },
      maxItems: 500,
      concurrency: 2,
      ...options,
    });
    return { batcher, runs };
  }

  it('is split after a rollback, so that a bad item fails alone', async () => {
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

  it('is split in halves: one bad item among 500 costs few runs', async () => {
    for (const groupOf of [undefined, () => 'one']) {
      const { batcher, runs } = strictBatcher({ ...(groupOf && { groupOf }) });
      const items = Array.from({ length: 500 }, (_, index) => (index === 321 ? 'bad' : `item ${index}`));
      const answers = await Promise.allSettled(items.map((item) => batcher.submit(item)));
      expect(answers.filter((answer) => answer.status === 'rejected')).toHaveLength(1);
      expect(runs.length).toBeLessThan(30);
    }
  });

  it('makes its group run alone: calls of other groups never wait for 10,000 bad items', async () => {
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
    // Its own run, those of others in flight, and the few that began meanwhile.
    expect(Math.max(...runsBetween)).toBeLessThanOrEqual(10);
    expect(runsBetween.length).toBeGreaterThan(1_000);
    expect(runs.length).toBeLessThan(10_000 + runsBetween.length + 100);
    const mixed = runs.filter((items) => new Set(items.map((item) => item.split(' ')[0])).size > 1);
    expect(mixed.length).toBeLessThanOrEqual(1);
  });

  it('is not retried when it may have been applied', async () => {
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

  it('rejects all items when it does not return one result per item', async () => {
    const batcher = new Batcher<string, string>({
      run: async () => ['one'],
      maxItems: 10,
      concurrency: 1,
    });
    const answers = await Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
  });
});
