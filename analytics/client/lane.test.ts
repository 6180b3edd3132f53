import { describe, expect, it } from 'vitest';
import { ClickHouseUnavailable } from './errors.ts';
import { createSerialLane } from './lane.ts';

describe('a serial lane', () => {
  it('runs one task at a time, in order, whether they fail or not', async () => {
    const lane = createSerialLane('client');
    const seen: string[] = [];
    const task = (n: number) => async (client: string) => {
      seen.push(`start ${n}`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`end ${n}`);
      if (n === 1) throw new Error('one failed');
      return `${client} ${n}`;
    };
    const results = await Promise.allSettled([0, 1, 2].map((n) => lane.run(task(n))));
    expect(seen).toEqual(['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2']);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('refuses more than 200 waiting tasks, and works again when they are done', async () => {
    const lane = createSerialLane('client');
    const accepted = Array.from({ length: 200 }, () => lane.run(async () => 'done'));
    await expect(lane.run(async () => 'done')).rejects.toThrow(ClickHouseUnavailable);
    await Promise.all(accepted);
    await lane.drained();
    expect(await lane.run(async () => 'again')).toBe('again');
  });
});
