import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { createVisitorPlaces } from './visitor-places.ts';

/** Requests that end when the test says so. */
function manualRequests() {
  const all = new FairSemaphore(4);
  const { run } = createVisitorPlaces(all);
  const ends: (() => void)[] = [];
  const started: string[] = [];
  return {
    all,
    started,
    start: (address: string) =>
      run(address, () => {
        started.push(address);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    async end() {
      ends.shift()?.();
      await immediate();
    },
  };
}

describe('requests of visitors', () => {
  it('leave half of the places to projects, and client addresses take turns', async () => {
    const { all, start, started, end } = manualRequests();
    const flood = Array.from({ length: 20 }, () => start('address 192.0.2.1'));
    await immediate();
    // None has all of them: its requests may wait for a lock.
    expect(started).toHaveLength(1);
    const others = ['address 192.0.2.2', 'address 192.0.2.3'].map(start);
    await immediate();
    expect(started).toHaveLength(2);
    expect(all.hasRoom('project')).toBe(true);
    for (let n = 0; n < 3; n += 1) await end();
    expect(started).toContain('address 192.0.2.3');
    while (started.length < 22) await end();
    await end();
    await end();
    await Promise.all([...flood, ...others]);
    expect(all.held()).toBe(0);
  });

  it('are refused when a hundred wait, half of them of one address', async () => {
    const { start, end } = manualRequests();
    const floods = ['address 192.0.2.1', 'address 2001:db8::/64'].map((address) =>
      Promise.allSettled(Array.from({ length: 80 }, () => start(address))),
    );
    const refusal = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 };
    const suggestion = 'Try again in a few seconds.';
    await expect(start('address 192.0.2.2')).rejects.toMatchObject({
      ...refusal,
      message: 'Too many requests at once',
      suggestion,
    });
    for (let n = 0; n < 102; n += 1) await end();
    const outcomes = await Promise.all(floods);
    const refused = outcomes.map((of) => of.filter(({ status }) => status === 'rejected').length);
    expect(refused).toEqual([29, 29]);
    const reasons = outcomes.flat().flatMap((of) => (of.status === 'rejected' ? [of.reason.message] : []));
    expect(new Set(reasons)).toEqual(new Set(['Too many requests from this address at once']));
  });
});
