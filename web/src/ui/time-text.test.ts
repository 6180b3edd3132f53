import { expect, it } from 'vitest';
import { createExactText, createFullText, createHourText, exactText, timeText } from './time-text.ts';

const now = Date.parse('2026-11-22T16:20:00.000Z');
const secondsAgo = (seconds: number) => new Date(now - seconds * 1000);

it.each([
  [59.7, '59 seconds ago'],
  [59 * 60 + 50, '59 minutes ago'],
  [23 * 3600 + 3000, '23 hours ago'],
  [36 * 3600, 'yesterday'],
  [-90, 'in 1 minute'],
])('shows %s seconds in the largest whole unit', (seconds, text) => {
  expect(timeText(secondsAgo(seconds), now)).toBe(text);
});

it('shows the year only if it is not the current one', () => {
  expect(exactText(secondsAgo(86_400), now)).not.toContain('2026');
  expect(exactText(secondsAgo(400 * 86_400), now)).toContain('2025');
});

it('counts years as the calendar of the user does', () => {
  const persian = createExactText('fa-IR-u-nu-latn');
  const [winter, spring] = [new Date('2026-02-01T12:00:00Z'), new Date('2026-04-01T12:00:00Z')];
  expect(persian(winter, now)).toContain('1404');
  expect(persian(spring, now)).not.toContain('1405');
});

it('distinguishes the two hours that repeat when daylight saving time ends', () => {
  const hourText = createHourText('Europe/Berlin');
  const hours = [0, 1, 2].map((hour) => hourText(new Date(Date.UTC(2026, 9, 25, hour))));
  expect(new Set(hours).size).toBe(3);
  expect(hours[0]).toContain('GMT+2');
  expect(hours[1]).toContain('GMT+1');
  expect(hours[2]).not.toContain('GMT');
});

it('tells which of two equal times a campaign leaves at', () => {
  const fullText = createFullText('America/New_York');
  expect(fullText(new Date('2027-11-07T05:30:00Z'))).toBe('Sunday, November 7, 2027 at 1:30 AM GMT-4');
  expect(fullText(new Date('2027-11-07T06:30:00Z'))).toBe('Sunday, November 7, 2027 at 1:30 AM GMT-5');
  expect(fullText(new Date('2027-11-07T15:00:00Z'))).toBe('Sunday, November 7, 2027 at 10:00 AM');
});
