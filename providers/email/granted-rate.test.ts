import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createGrantedRate } from './granted-rate.ts';

/** A provider whose answers come one after the other, each after a moment. */
function provider(...answers: (number | Error)[]) {
  let asked = 0;
  const ask = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    await sleep(5);
    if (answer instanceof Error) throw answer;
    return answer ?? null;
  };
  return { ask, asked: () => asked };
}

describe('the granted rate', () => {
  it('is asked once, however many wait', async () => {
    const { ask, asked } = provider(14);
    const rate = createGrantedRate(ask);
    expect(await Promise.all([rate(), rate(), rate()])).toEqual([14, 14, 14]);
    expect(await rate()).toBe(14);
    expect(asked()).toBe(1);
  });

  it('is asked again after a while, and nobody waits for that', async () => {
    const { ask, asked } = provider(14, 50);
    const rate = createGrantedRate(ask, { refreshMs: 20, retryMs: 5 });
    await rate();
    await sleep(25);
    expect(await rate()).toBe(14);
    expect(asked()).toBe(2);
    await sleep(10);
    expect(await rate()).toBe(50);
  });

  it('stays the last known one while the provider does not answer', async () => {
    const { ask, asked } = provider(14, new Error('away'), new Error('away'), 50);
    const rate = createGrantedRate(ask, { refreshMs: 1, retryMs: 5 });
    expect(await rate()).toBe(14);
    await sleep(5);
    for (let round = 0; asked() < 3 && round < 100; round += 1) {
      expect(await rate()).toBe(14);
      await sleep(2);
    }
    await expect.poll(rate).toBe(50);
  });

  it('fails until the first answer, asking again only after the pause', async () => {
    const { ask, asked } = provider(new Error('away'), 14);
    const rate = createGrantedRate(ask, { refreshMs: 1_000, retryMs: 30 });
    await expect(Promise.all([rate(), rate()])).rejects.toThrow('away');
    await expect(rate()).rejects.toThrow('away');
    expect(asked()).toBe(1);
    await sleep(35);
    expect(await rate()).toBe(14);
  });

  it('is asked again after the pause, also when a wrong clock is set back meanwhile', async () => {
    const { ask } = provider(new Error('the clock is wrong'), 14);
    const rate = createGrantedRate(ask, { refreshMs: 1_000, retryMs: 30 });
    await expect(rate()).rejects.toThrow('the clock is wrong');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    try {
      await sleep(35);
      expect(await rate()).toBe(14);
    } finally {
      vi.useRealTimers();
    }
  });
});
