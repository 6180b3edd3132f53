import { describe, expect, it } from 'vitest';
import { createTemplateTurns } from './template-turns.ts';

const longMs = 30;

/** Keeps the process busy, as a template does. */
function work(ms: number): number {
  const began = performance.now();
  while (performance.now() - began < ms);
  return began;
}

describe('turns at templates', () => {
  it('let a project rest after what took long, and the others go on', async () => {
    const { inTurn } = createTemplateTurns();
    const order: string[] = [];
    const heavy = Array.from({ length: 3 }, () =>
      inTurn('heavy', () => {
        order.push('heavy');
        return work(longMs);
      }),
    );
    await heavy[0];
    await inTurn('other', () => order.push('other'));
    await inTurn('other', () => order.push('other'));
    const began = await Promise.all(heavy);
    expect(order).toEqual(['heavy', 'other', 'other', 'heavy', 'heavy']);
    for (const [one, next] of [began.slice(0, 2), began.slice(1)]) {
      expect((next ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(longMs + 3 * longMs - 2);
    }
  });

  it('are not waited for after short work, and end when the work fails', async () => {
    const { inTurn } = createTemplateTurns();
    const began = performance.now();
    await Promise.all(Array.from({ length: 100 }, () => inTurn('light', () => work(0))));
    expect(performance.now() - began).toBeLessThan(500);
    const failed = inTurn('light', () => {
      work(longMs);
      throw new Error('broken');
    });
    await expect(failed).rejects.toThrow('broken');
    expect(await inTurn('light', () => 'again')).toBe('again');
  });

  it('refuse a project that has too much to wait', async () => {
    const { inTurn } = createTemplateTurns();
    await inTurn('heavy', () => work(longMs));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 105 }, (_, n) => inTurn('heavy', () => (n === 0 ? work(longMs) : n))),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ reason: { code: 'RATE_LIMIT_EXCEEDED' } });
  });
});
