import { expect, it } from 'vitest';
import { activityDetail } from './activity-words.ts';

it.each([
  ['contact.unsubscribed', { reason: 'bounce' }, 'because an email bounced'],
  ['contact.unsubscribed', { reason: 'complaint' }, 'because of a complaint'],
  ['contact.subscribed', { reason: 'snooze_expired' }, 'at the end of a snooze'],
  ['email.bounced', { subject: 'News', reason: 'Mailbox full' }, 'News · Mailbox full'],
  ['email.bounced', { bounceType: 'Permanent' }, 'hard bounce: the address does not work'],
  ['email.bounced', { bounceType: 'Transient' }, 'soft bounce: the mailbox is full or its server is busy'],
  ['email.bounced', { bounceType: 'Suppressed' }, ''],
])('gives the reason of %s %o', (type, metadata, detail) => {
  expect(activityDetail({ type, metadata })).toBe(detail);
});
