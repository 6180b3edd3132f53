import { afterEach, expect, it, vi } from 'vitest';
import { chartPeriod, startOf, toPeriodQuery } from './period.ts';

const now = Date.parse('2026-11-22T16:20:00.000Z');

afterEach(() => vi.unstubAllEnvs());

it('starts on the hour and includes the current hour', () => {
  expect(startOf('24h', now).toISOString()).toBe('2026-11-21T17:00:00.000Z');
});

it('compares an hourly chart with the hours before', () => {
  expect(chartPeriod('24h', now)).toEqual({
    startDate: '2026-11-21T17:00:00.000Z',
    before: { startDate: '2026-11-20T17:00:00.000Z', endDate: '2026-11-21T16:59:59.999Z' },
  });
});

it('charts whole days up to today, and compares them with an equally long period', () => {
  const week = {
    startDate: '2026-11-16T00:00:00.000Z',
    before: { startDate: '2026-11-09T00:00:00.000Z', endDate: '2026-11-15T16:59:59.999Z' },
  };
  expect(chartPeriod('7d', now)).toEqual(week);
  const midnight = chartPeriod('7d', Date.parse('2026-11-23T00:00:00.000Z'));
  expect(midnight.startDate).toBe('2026-11-16T00:00:00.000Z');
});

it('asks for whole days in the time zone of the user', () => {
  const { startDate, endDate } = toPeriodQuery({ period: 'days', from: '2026-11-01', to: '2026-11-01' });
  expect(Date.parse(endDate ?? '') - Date.parse(startDate ?? '')).toBe(86_399_999);
});

it.each([
  ['the hour before midnight is repeated', 'America/Santiago', '2027-04-03', 25],
  ['midnight is skipped', 'America/Santiago', '2026-09-06', 23],
  ['an hour in the night is repeated', 'Europe/Berlin', '2026-10-25', 25],
])('covers the whole day on which %s', (_change, zone, day, hours) => {
  vi.stubEnv('TZ', zone);
  const { startDate, endDate } = toPeriodQuery({ period: 'days', from: day, to: day });
  expect(Date.parse(endDate ?? '') + 1 - Date.parse(startDate ?? '')).toBe(hours * 3_600_000);
});

it.each([
  [{}, {}],
  [{ from: '2026-11-01' }, {}],
  [{ period: 'days' as const }, {}],
])('asks for any time: %j', (search, query) => {
  expect(toPeriodQuery(search)).toEqual(query);
});

it('accepts two days in any order', () => {
  const days = toPeriodQuery({ period: 'days', from: '2026-11-01', to: '2026-11-03' });
  expect(Number(new Date(days.startDate ?? ''))).toBeLessThan(Number(new Date(days.endDate ?? '')));
  expect(toPeriodQuery({ period: 'days', from: '2026-11-03', to: '2026-11-01' })).toEqual(days);
});
