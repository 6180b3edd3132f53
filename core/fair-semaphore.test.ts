import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FairSemaphore } from './fair-semaphore.ts';

describe('a semaphore', () => {
  it('runs as many at a time as it has permits, and the others in order, even when some fail', async () => {
    const semaphore = new FairSemaphore(3);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        semaphore.run('one', async () => {
          order.push(index);
          running += 1;
          most = Math.max(most, running);
          await delay(5);
          running -= 1;
          if (index % 4 === 0) throw new Error('failed');
          return index;
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 12 }, (_, index) => index));
    expect(most).toBe(3);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3);
  });

  it('lets owners take turns, however much each of them waits for', async () => {
    const semaphore = new FairSemaphore(1);
    const order: string[] = [];
    const release = await semaphore.acquire('large');
    const owners = ['large', 'large', 'large', 'large', 'small', 'small', 'one'];
    const all = owners.map((owner) => semaphore.run(owner, async () => void order.push(owner)));
    release();
    await Promise.all(all);
    expect(order).toEqual(['large', 'small', 'one', 'large', 'small', 'large', 'large']);
  });

  it('forgets those who leave while they wait, and lets the next ones start', async () => {
    const semaphore = new FairSemaphore(2);
    const release = await semaphore.acquire('one');
    const leaving = new AbortController();
    const gone = expect(semaphore.acquire('two', 2, leaving.signal)).rejects.toThrow('gone');
    const next = semaphore.acquire('three');
    expect(semaphore.waiting()).toBe(2);
    leaving.abort(new Error('gone'));
    await gone;
    (await next)();
    release();
    expect(semaphore.waiting()).toBe(0);
    expect(semaphore.held()).toBe(0);
    await expect(semaphore.acquire('two', 1, leaving.signal)).rejects.toThrow('gone');
    expect(semaphore.held()).toBe(0);
  });

  it('leaves half of its permits to owners whose work is short', async () => {
    const semaphore = new FairSemaphore(4, { slowMs: 1_000 });
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const first = await semaphore.acquire('slow');
    const second = await semaphore.acquire('slower');
    now += 1_000;
    const order: string[] = [];
    const ask = async (owner: string) => {
      const release = await semaphore.acquire(owner);
      order.push(owner);
      return release;
    };
    expect(semaphore.hasRoom('slow')).toBe(false);
    const waiting = [ask('slow'), ask('slower')];
    const short = [await ask('short'), await ask('shorter')];
    for (const release of short) release();
    expect(order).toEqual(['short', 'shorter']);
    first();
    second();
    for (const release of await Promise.all(waiting)) release();
    expect(semaphore.held()).toBe(0);
    // Remembered for a minute.
    await Promise.all([semaphore.acquire('slow'), semaphore.acquire('slower')]);
    expect(semaphore.hasRoom('slow')).toBe(false);
    expect(semaphore.hasRoom('short')).toBe(true);
  });

  it('gives an owner its share at most, and those behind it what is left', async () => {
    const semaphore = new FairSemaphore(4, { perOwner: 2 });
    const releases = [await semaphore.acquire('large', 3), await semaphore.acquire('small')];
    const order: string[] = [];
    const ask = (owner: string) => semaphore.run(owner, async () => void order.push(owner));
    const waiting = [ask('large'), ask('other')];
    expect(semaphore.hasRoom('large')).toBe(false);
    releases[1]?.();
    await waiting[1];
    expect(order).toEqual(['other']);
    expect([semaphore.held('large'), semaphore.waiting('large')]).toEqual([3, 1]);
    releases[0]?.();
    await waiting[0];
    expect(order).toEqual(['other', 'large']);
    expect(semaphore.held()).toBe(0);
  });

  it('takes a permit back once, however often it is released', async () => {
    const semaphore = new FairSemaphore(1);
    const release = await semaphore.acquire('one');
    release();
    release();
    const releaseSecond = await semaphore.acquire('one');
    let hasThird = false;
    const third = semaphore.run('one', async () => {
      hasThird = true;
    });
    await delay(5);
    expect(hasThird).toBe(false);
    releaseSecond();
    await third;
  });
});
