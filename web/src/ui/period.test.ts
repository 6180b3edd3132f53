import { expect, it } from 'vitest';
import { chartPeriod, startOf, toPeriodQuery } from './period.ts';

const now = Date.parse('2026-11-22T16:20:00.000Z');

it('begins on the hour, and includes the hour that has begun', () => {
  expect(startOf('24h', now).toISOString()).toBe('2026-11-21T17:00:00.000Z');
});

it('a chart of hours is compared with the hours before', () => {
  expect(chartPeriod('24h', now)).toEqual({
    startDate: '2026-11-21T17:00:00.000Z',
    before: { startDate: '2026-11-20T17:00:00.000Z', endDate: '2026-11-21T16:59:59.999Z' },
  });
});

it('a chart of days has whole ones up to today, and is compared with as long a time', () => {
  const week = {
    startDate: '2026-11-16T00:00:00.000Z',
    before: { startDate: '2026-11-09T00:00:00.000Z', endDate: '2026-11-15T16:59:59.999Z' },
  };
  expect(chartPeriod('7d', now)).toEqual(week);
  const midnight = chartPeriod('7d', Date.parse('2026-11-23T00:00:00.000Z'));
  expect(midnight.startDate).toBe('2026-11-16T00:00:00.000Z');
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

it('takes two days in any order', () => {
  const days = toPeriodQuery({ period: 'days', from: '2026-11-01', to: '2026-11-03' });
  expect(Number(new Date(days.startDate ?? ''))).toBeLessThan(Number(new Date(days.endDate ?? '')));
  expect(toPeriodQuery({ period: 'days', from: '2026-11-03', to: '2026-11-01' })).toEqual(days);
});
