import { expect, it } from 'vitest';
import { isOfService, rankNames } from './event-names.ts';

it('ranks names by how often they happened, then by name', () => {
  const stats = { byName: [{ name: 'paid', count: 2 }], otherCount: 0 };
  expect(rankNames(['b', 'paid', 'a'], stats, '')).toEqual([
    { name: 'paid', count: 2 },
    { name: 'a', count: 0 },
    { name: 'b', count: 0 },
  ]);
});

it('has no count for rare names that are counted together', () => {
  expect(rankNames(['rare', 'Paid'], { byName: [], otherCount: 4 }, 'RA')).toEqual([
    { name: 'rare', count: null },
  ]);
});

it.each([
  ['email.open', true],
  ['segment.vip.entry', true],
  ['contact.unsubscribed', true],
  ['emailed', false],
  ['segment.entry', false],
  ['signed_up', false],
])('recognizes whether %s is emitted by Posthaste: %s', (name, expected) => {
  expect(isOfService(name)).toBe(expected);
});
