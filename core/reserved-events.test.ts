import { describe, expect, it } from 'vitest';
import { findEventNameIssue, isReservedEventName, segmentEventName } from './reserved-events.ts';

describe('event names', () => {
  it.each([
    ['email.sent', true],
    ['email.anything.at.all', true],
    ['email.', true],
    ['contact.subscribed', true],
    ['contact.unsubscribed', true],
    ['segment.vip.entry', true],
    ['segment.vip-2.exit', true],
    ['segment.größe.entry', true],
    ['segment.a.b.entry', false],
    ['segment..entry', false],
    ['segment.vip.entry.late', false],
    ['segment.vip.joined', false],
    ['contact.created', false],
    ['email', false],
    ['emails.sent', false],
    ['my.email.sent', false],
    ['purchase', false],
  ])('%s reserved: %s', (name, reserved) => {
    expect(isReservedEventName(name)).toBe(reserved);
  });

  it('reserves what it builds', () => {
    expect(isReservedEventName(segmentEventName('vip', 'entry'))).toBe(true);
    expect(segmentEventName('vip', 'exit')).toBe('segment.vip.exit');
  });

  it.each([
    ['purchase', undefined],
    ['Order Placed ✓', undefined],
    ['e'.repeat(255), undefined],
    ['🎉'.repeat(255), undefined],
    ['🎉'.repeat(256), 'too_big'],
    ['', 'too_small'],
    ['  ', 'too_small'],
    ['e'.repeat(256), 'too_big'],
    ['.', 'invalid_string'],
    ['..', 'invalid_string'],
    ['...', undefined],
    ['a\nb', 'invalid_string'],
    ['a\0', 'invalid_string'],
    ['a\ud800', 'invalid_string'],
    ['email.sent', 'reserved_event'],
  ])('reports the fault of %j: %s', (name, code) => {
    expect(findEventNameIssue(name)?.code).toBe(code);
  });
});
