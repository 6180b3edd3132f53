import { expect, it } from 'vitest';
import { activityDetail } from './activity-words.ts';

it.each([
  ['contact.unsubscribed', { reason: 'bounce' }, 'because an email bounced'],
  ['contact.unsubscribed', { reason: 'complaint' }, 'because of a complaint'],
  ['email.bounced', { subject: 'News', reason: 'Mailbox full' }, 'News · Mailbox full'],
])('tells the reason of %s %o', (type, metadata, detail) => {
  expect(activityDetail({ type, metadata })).toBe(detail);
});
