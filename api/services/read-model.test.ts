import { afterEach, expect, it, vi } from 'vitest';
import { countBuckets } from '../../analytics/questions/fill-buckets.ts';
import { toPeriod } from './read-model.ts';

afterEach(() => void vi.useRealTimers());

it.each([
  ['2026-11-26T10:30:00.000Z', '2026-11-26T10:31:00.000Z'],
  ['2026-11-26T10:59:30.000Z', '2026-11-26T10:59:59.999Z'],
  ['2026-11-26T23:59:59.999Z', '2026-11-26T23:59:59.999Z'],
  ['2026-11-27T00:00:00.000Z', '2026-11-27T00:01:00.000Z'],
])('a period without an end has no hour or day that has not begun at %s', (now, end) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
  const period = toPeriod('any', { startDate: new Date(now) });
  expect(period.endDate.toISOString()).toBe(end);
  expect([countBuckets(period, 'hour'), countBuckets(period, 'day')]).toEqual([1, 1]);
});
