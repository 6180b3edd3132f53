import { describe, expect, it } from 'vitest';
import { busy } from '../../core/testing/busy.ts';
import { createTemplateTurns } from './template-turns.ts';

/** More than the free allowance. */
const longMs = 200;

describe('template turns', () => {
  it('make a project rest after long work, while others continue', async () => {
    const { inTurn } = createTemplateTurns();
    const order: string[] = [];
    const heavy = Array.from({ length: 3 }, () =>
      inTurn('heavy', () => {
        order.push('heavy');
        const began = performance.now();
        busy(longMs);
        return began;
      }),
    );
    await heavy[0];
    await inTurn('other', () => order.push('other'));
    const [first = 0, second = 0, third = 0] = (await Promise.all(heavy)).sort((a, b) => a - b);
    expect(order).toEqual(['heavy', 'other', 'heavy', 'heavy']);
    expect(second - first).toBeGreaterThanOrEqual(2 * longMs);
    expect(third - second).toBeGreaterThanOrEqual(2 * longMs);
  });

  it('need no rest after short work, and end when the work fails', async () => {
    const { inTurn } = createTemplateTurns();
    await Promise.all(Array.from({ length: 500 }, () => inTurn('light', () => busy(0))));
    const failed = inTurn('light', () => {
      busy(longMs);
      throw new Error('broken');
    });
    await expect(failed).rejects.toThrow('broken');
    expect(await inTurn('light', () => 'again')).toBe('again');
  });

  it('do not count the CPU time of other programs', async () => {
    const { inTurn } = createTemplateTurns();
    const stopped = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longMs);
    for (let n = 0; n < 5; n++) await inTurn('unlucky', stopped);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => inTurn('unlucky', () => n)));
    expect(answers).toHaveLength(200);
  });

  it('refuse a project with too many waiting calls', async () => {
    const { inTurn } = createTemplateTurns();
    await inTurn('heavy', () => busy(longMs));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 105 }, (_, n) => inTurn('heavy', () => n)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ reason: { code: 'RATE_LIMIT_EXCEEDED' } });
  });
});
