import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snoozeEnd, snoozeLengths } from './snooze.ts';

describe('snoozeEnd', () => {
  it.each([
    ['2026-02-20T10:30:00.000Z', '2-weeks', '2026-03-06T10:30:00.000Z'],
    ['2026-11-21T10:30:00.000Z', '1-month', '2026-12-21T10:30:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '1-month', '2027-01-31T23:59:59.999Z'],
    ['2026-01-31T00:00:00.000Z', '1-month', '2026-02-28T00:00:00.000Z'],
    ['2028-01-31T00:00:00.000Z', '1-month', '2028-02-29T00:00:00.000Z'],
    ['2026-08-31T12:00:00.000Z', '6-months', '2027-02-28T12:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '1-year', '2029-02-28T12:00:00.000Z'],
    ['2026-11-21T10:30:00.000Z', '1-year', '2027-11-21T10:30:00.000Z'],
  ] as const)('of %s after %s is %s', (from, length, end) => {
    expect(snoozeEnd(new Date(from), length).toISOString()).toBe(end);
  });

  it('is later for longer lengths, never beyond a year and a day, and leaves its start alone', () => {
    const instants = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2100-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (from) => {
        const before = from.getTime();
        const ends = snoozeLengths.map((length) => snoozeEnd(from, length).getTime());
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(new Set(ends).size).toBe(ends.length);
        expect(ends[0]).toBeGreaterThan(before);
        expect(ends[3]).toBeLessThanOrEqual(before + 366 * 86_400_000);
        expect(from.getTime()).toBe(before);
      }),
    );
  });
});
