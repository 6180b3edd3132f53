import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { storesVariables } from '../../core/config/variables/stores.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { sizesOfPools } from '../../db/orm.ts';
import { createProjectPlaces, createSharedPlaces, sharedConnections } from './project-places.ts';

/** Reads that end when the test says so. */
function manualReads(perProject: number, inAll?: number) {
  const reads = createProjectPlaces(
    perProject,
    inAll === undefined ? {} : { inAll: new FairSemaphore(inAll) },
  );
  const ends: (() => void)[] = [];
  const started: string[] = [];
  const read = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  return {
    reads,
    started,
    end: () => ends.shift()?.(),
    start: (projectId: string, name: string) => reads.run(projectId, read(name)),
  };
}

it('writes, heavy reads and short reads leave a connection to look-ups of keys, also with the smallest pool', () => {
  expect(() => storesVariables.DATABASE_POOL_SIZE.parse('4')).toThrow();
  for (let size = Number(storesVariables.DATABASE_POOL_SIZE.parse('5')); size <= 60; size += 1) {
    const places = sharedConnections({ DATABASE_POOL_SIZE: size });
    expect(places).toBeGreaterThan(0);
    expect(3 * places).toBeLessThan(sizesOfPools(size, false).statements);
  }
});

describe('heavy reads', () => {
  it('run a few at a time, in order, and those of another project at once', async () => {
    const { start, started, end } = manualReads(2);
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => start('a', name));
    all.push(start('b', 'b1'));
    await immediate();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (let read = 0; read < 5; read += 1) {
      end();
      await immediate();
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
    expect(started.slice(3)).toEqual(['a3', 'a4']);
  });

  it('are refused when too many wait, and accepted again when those are done', async () => {
    const { reads, start, end } = manualReads(1);
    const taken = Array.from({ length: 13 }, (_, index) => start('a', `a${index}`));
    await expect(start('a', 'late')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterSeconds: expect.any(Number),
    });
    expect(await reads.runSoon('a', async () => 'figure')).toBeUndefined();
    expect(await reads.runSoon('b', async () => 'figure')).toBe('figure');
    for (let read = 0; read < 13; read += 1) {
      end();
      await immediate();
    }
    await Promise.all(taken);
    expect(await reads.runSoon('a', async () => 'figure')).toBe('figure');
  });

  it('free their place when they fail', async () => {
    const reads = createProjectPlaces(1);
    const fail = () => Promise.reject(new Error('no'));
    await expect(reads.run('a', fail)).rejects.toThrow('no');
    expect(await reads.run('a', async () => 'next')).toBe('next');
  });

  it('of two projects that wait for locks leave a place to a third', async () => {
    const reads = createProjectPlaces(4, { inAll: createSharedPlaces(4) });
    const underWay = Promise.withResolvers<void>();
    const locked = ['a', 'a', 'b', 'b'].map((projectId) => reads.run(projectId, () => underWay.promise));
    expect(await reads.runSoon('c', async () => 'figure')).toBe('figure');
    underWay.resolve();
    await Promise.all(locked);
  });

  it('of all projects share a limit, and projects take turns', async () => {
    const { start, started, end } = manualReads(2, 3);
    const all = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'].map((name) => start(name.charAt(0), name));
    await immediate();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    all.push(start('a', 'a3'));
    for (let read = 0; read < 7; read += 1) {
      end();
      await immediate();
    }
    await Promise.all(all);
    expect(started.slice(3)).toEqual(['b2', 'c1', 'a3', 'c2']);
  });

  it.each([
    [8, ['a0', 'a1', 'a2', 'a3', 'b1']],
    [2, ['a0', 'b1']],
  ])('leave half of %i places to other projects', async (inAll, expected) => {
    const { start, started } = manualReads(10, inAll);
    for (let read = 0; read < 10; read += 1) void start('a', `a${read}`);
    void start('b', 'b1');
    await immediate();
    expect(started).toEqual(expected);
  });

  it.each([
    ['its project', 'a'],
    ['all projects', 'b'],
  ])('that are optional are given up when %s has no place soon', async (_, projectId) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { reads, start, end } = manualReads(1, 1);
    const first = start('a', 'a1');
    const late = reads.runSoon(projectId, async () => 'figure');
    await immediate();
    vi.advanceTimersByTime(2_000);
    expect(await late).toBeUndefined();
    end();
    expect(await first).toBe('a1');
    expect(await reads.runSoon(projectId, async () => 'figure')).toBe('figure');
  });

  it('in batches wait for their turn once they have begun', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { reads, start, end } = manualReads(1, 1);
    const inTurn = reads.inBatches('a');
    await inTurn(async () => 'batch 1');
    const first = start('b', 'b1');
    const second = inTurn(async () => 'batch 2');
    const refused = expect(reads.inBatches('c')(async () => 'batch 1')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await immediate();
    vi.advanceTimersByTime(30_000);
    await refused;
    end();
    await first;
    expect(await second).toBe('batch 2');
  });

  it('in batches let others in between, and wait when too many others do', async () => {
    const { reads, start, started, end } = manualReads(1, 1);
    const inTurn = reads.inBatches('a');
    const batches = async () => {
      for (const name of ['batch 1', 'batch 2']) await inTurn(async () => started.push(name));
    };
    const others = ['b1', 'c1'].map((name) => start(name.charAt(0), name));
    const work = batches();
    others.push(start('b', 'b2'));
    for (let read = 0; read < 3; read += 1) {
      await immediate();
      end();
    }
    await Promise.all([...others, work]);
    expect(started).toEqual(['b1', 'c1', 'batch 1', 'b2', 'batch 2']);

    const taken = Array.from({ length: 13 }, (_, index) => start('a', `a${index}`));
    await expect(reads.inBatches('a')(async () => 1)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    const next = inTurn(async () => 'batch 3');
    for (let read = 0; read < 13; read += 1) {
      await immediate();
      end();
    }
    await Promise.all(taken);
    expect(await next).toBe('batch 3');
  });

  it('whose turn does not come are refused, and leave their place to others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { start, started, end } = manualReads(1, 1);
    const first = start('a', 'a1');
    const late = expect(start('b', 'b1')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: expect.any(Number),
    });
    await immediate();
    expect(started).toEqual(['a1']);
    vi.advanceTimersByTime(30_000);
    await late;
    const next = start('c', 'c1');
    end();
    await immediate();
    end();
    expect(await Promise.all([first, next])).toEqual(['a1', 'c1']);
    expect(started).toEqual(['a1', 'c1']);
  });

  it('are not limited at 0', async () => {
    const { start, started } = manualReads(0);
    for (let read = 0; read < 30; read += 1) void start('a', `a${read}`);
    expect(started).toHaveLength(30);
  });
});
