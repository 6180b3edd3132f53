import { expect, it } from 'vitest';
import { describeActivity } from './activity-sentence.ts';

const contactId = '01980d9c-1111-7000-8000-000000000002';
const tellOf = (type: string, metadata: Record<string, unknown>) =>
  describeActivity({
    id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
    type,
    timestamp: '2026-01-31T09:12:40.000Z',
    contactId: type.startsWith('campaign.') ? null : contactId,
    contactEmail: type.startsWith('campaign.') ? null : 'ada@example.com',
    metadata,
  });

it.each([
  ['email.opened', { subject: 'November news' }, 'ada@example.com opened November news'],
  [
    'email.clicked',
    { subject: 'News', link: 'https://example.com' },
    'ada@example.com clicked a link in News',
  ],
  ['email.bounced', { bounceType: 'Permanent' }, 'ada@example.com could not receive an email'],
  ['email.bounced', { bounceType: 'Suppressed' }, 'ada@example.com was not sent an email'],
  ['event.tracked', { name: 'paid', data: { subject: 'x' } }, 'ada@example.com did paid'],
  ['contact.unsubscribed', {}, 'ada@example.com unsubscribed'],
  ['campaign.sent', { campaignName: 'News', totalRecipients: 2 }, 'Campaign sent: News'],
  ['workflow.started', { workflowName: 'Onboarding' }, 'ada@example.com entered Onboarding'],
  ['something.new', {}, 'ada@example.com something.new'],
])('describes %s', (type, metadata, sentence) => {
  const { who, words, what } = tellOf(type, metadata);
  expect([who, words, what].filter((part) => part !== null).join(' ')).toBe(sentence);
});

it('survives metadata of any shape', () => {
  expect(tellOf('email.clicked', { subject: 7, link: {} })).toMatchObject({
    words: 'clicked a link in an email',
    what: null,
    note: null,
  });
});

it('uses the singular for one recipient', () => {
  expect(tellOf('campaign.sent', { totalRecipients: 1 }).note).toBe('1 recipient');
});
