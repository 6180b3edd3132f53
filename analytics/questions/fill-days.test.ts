import { describe, expect, it } from 'vitest';
import { fillDays } from './fill-buckets.ts';

const day = (text: string) => new Date(text);

describe('fillDays', () => {
  it('lists every UTC day that the period touches', () => {
    const period = { startDate: day('2026-02-27T23:59:59.999Z'), endDate: day('2026-03-01T00:00:00.000Z') };
    expect(fillDays([{ date: '2026-02-28', count: 7 }], period)).toEqual([
      { date: '2026-02-27', count: 0 },
      { date: '2026-02-28', count: 7 },
      { date: '2026-03-01', count: 0 },
    ]);
  });

  it('lists nothing for a period that ends before it starts', () => {
    const period = { startDate: day('2026-02-03T00:00:00Z'), endDate: day('2026-02-01T00:00:00Z') };
    expect(fillDays([], period)).toEqual([]);
  });

  it('lists only the days with a count when the period has too many to fill', () => {
    const period = { startDate: new Date(-8.64e15), endDate: new Date(8.64e15) };
    const counts = [
      { date: '2026-03-01', count: 1 },
      { date: '2025-03-01', count: 2 },
    ];
    expect(fillDays(counts, period)).toEqual(counts.toReversed());
  });
});
