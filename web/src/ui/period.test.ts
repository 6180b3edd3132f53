import { expect, it } from 'vitest';
import { periodBefore, startOf, toPeriodQuery } from './period.ts';

it('begins on the hour, and includes the hour that has begun', () => {
  const now = Date.parse('2026-11-22T16:20:00.000Z');
  expect(startOf('24h', now).toISOString()).toBe('2026-11-21T17:00:00.000Z');
});

it('compares with the period of the same length before, which shares no instant', () => {
  expect(periodBefore('7d', new Date('2026-11-15T17:00:00.000Z'))).toEqual({
    startDate: '2026-11-08T17:00:00.000Z',
    endDate: '2026-11-15T16:59:59.999Z',
  });
});

it('asks for whole days of the zone of the reader', () => {
  const { startDate, endDate } = toPeriodQuery({ period: 'days', from: '2026-11-01', to: '2026-11-01' });
  expect(Date.parse(endDate ?? '') - Date.parse(startDate ?? '')).toBe(86_399_999);
});

it.each([
  [{}, {}],
  [{ from: '2026-11-01' }, {}],
  [{ period: 'days' as const }, {}],
])('asks for any time: %j', (search, query) => {
  expect(toPeriodQuery(search)).toEqual(query);
});
