import { expect, it } from 'vitest';
import { type Bucket, changeText, comparedPoints, sumOf } from './metrics.ts';

const bucket = (date: string, sent: number): Bucket => ({
  date,
  sent,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
});

it('pairs each bucket with the one of the previous period', () => {
  const now = [bucket('2026-11-03', 5), bucket('2026-11-04', 7)];
  expect(comparedPoints(now, [bucket('2026-11-01', 2)], 'sent')).toEqual([
    { date: '2026-11-03', now: 5, before: 2 },
    { date: '2026-11-04', now: 7, before: 0 },
  ]);
  expect(sumOf(now, 'sent')).toBe(12);
});

it.each([
  [150, 100, '+50%'],
  [50, 100, '-50%'],
  [100, 100, 'No change'],
  [0, 0, 'No change'],
  [3, 0, 'None before'],
  [0, 3, '-100%'],
])('shows %i after %i as “%s”', (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});
