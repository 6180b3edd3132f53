import { describe, expect, it } from 'vitest';
import { currentSubscription, isOver } from './subscription.ts';

const one = (status: string, day: number) => ({ status, createdAt: new Date(Date.UTC(2026, 0, day)) });

describe('the subscription that counts', () => {
  it.each([
    ['the only one', [one('canceled', 1)], 0],
    ['the newest of those that go on', [one('active', 1), one('past_due', 3), one('active', 2)], 1],
    ['one that is live before a newer one that is over', [one('past_due', 1), one('canceled', 9)], 0],
    [
      'one that waits for its first payment before one that never got it',
      [one('incomplete_expired', 9), one('incomplete', 1)],
      1,
    ],
    [
      'the newest when all are over',
      [one('canceled', 1), one('canceled', 5), one('incomplete_expired', 3)],
      1,
    ],
  ])('is %s', (_, subscriptions, index) => {
    expect(currentSubscription(subscriptions)).toBe(subscriptions[index]);
    expect(currentSubscription(subscriptions.toReversed())).toBe(subscriptions[index]);
  });

  it('is none without subscriptions', () => {
    expect(currentSubscription([])).toBeUndefined();
  });
});

it('is over only when it has ended for good', () => {
  const statuses = [
    'active',
    'trialing',
    'past_due',
    'unpaid',
    'paused',
    'incomplete',
    'canceled',
    'incomplete_expired',
  ];
  expect(statuses.filter((status) => isOver({ status }))).toEqual(['canceled', 'incomplete_expired']);
});
