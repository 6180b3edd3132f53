import type { FieldIssue } from './errors.ts';
import { isStorableText } from './json-value.ts';

export const maxEventNameLength = 255;

const segmentEvent = /^segment\.[^.]+\.(?:entry|exit)$/;

export function isReservedEventName(name: string): boolean {
  if (name === 'contact.subscribed' || name === 'contact.unsubscribed') return true;
  return name.startsWith('email.') || segmentEvent.test(name);
}

export function segmentEventName(slug: string, change: 'entry' | 'exit'): string {
  return `segment.${slug}.${change}`;
}

/**
 * Validates an event name; undefined when valid. Names are case-sensitive and not trimmed. Codes:
 * `too_small`, `too_big`, `invalid_string`.
 */
export function findEventNameFormIssue(name: string, field = 'event'): FieldIssue | undefined {
  if (name.trim() === '')
    return { field, message: 'An event requires a name', code: 'too_small', received: name };
  if (name.length > maxEventNameLength && [...name].length > maxEventNameLength) {
    return { field, message: `At most ${maxEventNameLength} characters are accepted`, code: 'too_big' };
  }
  if (/\p{Cc}/u.test(name) || !isStorableText(name)) {
    return { field, message: 'Control characters are not accepted', code: 'invalid_string' };
  }
  if (name === '.' || name === '..') {
    return {
      field,
      message: 'No address of a call can contain this name',
      code: 'invalid_string',
      received: name,
    };
  }
  return undefined;
}

export function findEventNameIssue(name: string): FieldIssue | undefined {
  const issue = findEventNameFormIssue(name);
  if (issue !== undefined || !isReservedEventName(name)) return issue;
  const message = `The event name "${name}" is reserved for the service itself`;
  return { field: 'event', message, code: 'reserved_event', received: name };
}
