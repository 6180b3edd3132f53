import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGrantedRate } from './granted-rate.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A provider whose answers come one after the other, each after 5 ms. */
function provider(...answers: (number | Error)[]) {
  let asked = 0;
  const ask = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (answer instanceof Error) throw answer;
    return answer ?? null;
  };
  return { ask, asked: () => asked };
}

describe('the granted rate', () => {
  it('is asked for once, however many wait', async () => {
    const { ask, asked } = provider(14);
    const rate = createGrantedRate(ask);
    const rates = Promise.all([rate(), rate(), rate()]);
    await pass(5);
    expect(await rates).toEqual([14, 14, 14]);
    expect(await rate()).toBe(14);
    expect(asked()).toBe(1);
  });

  it('is asked for again after a while, and nobody waits for that', async () => {
    const { ask, asked } = provider(14, 50);
    const rate = createGrantedRate(ask, { refreshMs: 20, retryMs: 5 });
    const first = rate();
    await pass(5);
    expect(await first).toBe(14);
    await pass(19);
    expect(await rate()).toBe(14);
    expect(asked()).toBe(1);
    await pass(1);
    expect(await rate()).toBe(14);
    expect(asked()).toBe(2);
    await pass(5);
    expect(await rate()).toBe(50);
  });

  it('stays the last known one while the provider does not answer', async () => {
    const { ask, asked } = provider(14, new Error('away'), new Error('away'), 50);
    const rate = createGrantedRate(ask, { refreshMs: 20, retryMs: 5 });
    const first = rate();
    await pass(5);
    expect(await first).toBe(14);
    await pass(20);
    for (const times of [2, 3, 4]) {
      expect(await rate()).toBe(14);
      expect(asked()).toBe(times);
      // The answer, and the pause after one that failed.
      await pass(10);
    }
    expect(await rate()).toBe(50);
  });

  it('fails until the first answer, asking again only after the pause', async () => {
    const { ask, asked } = provider(new Error('away'), 14);
    const rate = createGrantedRate(ask, { refreshMs: 1_000, retryMs: 30 });
    const failing = expect(Promise.all([rate(), rate()])).rejects.toThrow('away');
    await pass(5);
    await failing;
    await pass(29);
    const sooner = expect(rate()).rejects.toThrow('away');
    expect(asked()).toBe(1);
    await sooner;
    await pass(1);
    const next = rate();
    await pass(5);
    expect(await next).toBe(14);
  });

  it('is asked again after the pause, also when a wrong clock is set back meanwhile', async () => {
    const { ask } = provider(new Error('the clock is wrong'), 14);
    const rate = createGrantedRate(ask, { refreshMs: 1_000, retryMs: 30 });
    const failing = expect(rate()).rejects.toThrow('the clock is wrong');
    await pass(5);
    await failing;
    vi.setSystemTime(Date.now() - 3_600_000);
    await pass(30);
    const next = rate();
    await pass(5);
    expect(await next).toBe(14);
  });
});
