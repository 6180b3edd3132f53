import { expect, it } from 'vitest';
import { exactText, timeText } from './time-text.ts';

const now = Date.parse('2026-11-22T16:20:00.000Z');
const secondsAgo = (seconds: number) => new Date(now - seconds * 1000);

it.each([
  [59.7, '59 seconds ago'],
  [59 * 60 + 50, '59 minutes ago'],
  [23 * 3600 + 3000, '23 hours ago'],
  [36 * 3600, 'yesterday'],
  [-90, 'in 1 minute'],
])('tells %s seconds in the largest whole unit', (seconds, text) => {
  expect(timeText(secondsAgo(seconds), now)).toBe(text);
});

it('names the year of another year alone', () => {
  expect(exactText(secondsAgo(86_400), now)).not.toContain('2026');
  expect(exactText(secondsAgo(400 * 86_400), now)).toContain('2025');
});
