import { describe, expect, it } from 'vitest';
import { activityTypeOf } from './activity-types.ts';

describe('activityTypeOf', () => {
  it.each([
    ['email.delivery', 'email.delivered'],
    ['email.open', 'email.opened'],
    ['email.click', 'email.clicked'],
    ['email.bounce', 'email.bounced'],
    ['email.suppressed', 'email.bounced'],
    ['email.complaint', 'email.complained'],
    ['workflow.started', 'workflow.started'],
  ])('names our own %s %s', (name, type) => {
    expect(activityTypeOf('emitted', name)).toBe(type);
    expect(activityTypeOf('activity', name)).toBe(type);
  });

  it('treats whatever a client tracked as a tracked event, even under one of our names', () => {
    expect(activityTypeOf('tracked', 'page viewed')).toBe('event.tracked');
    expect(activityTypeOf('tracked', 'campaign.sent')).toBe('event.tracked');
  });

  it.each(['segment.vip.entry', 'email.delivered', 'toString', ''])('keeps %j out of the feed', (name) => {
    expect(activityTypeOf('emitted', name)).toBeUndefined();
  });
});
