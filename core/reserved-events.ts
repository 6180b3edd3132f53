import type { FieldIssue } from './errors.ts';
import { isStorableText } from './json-value.ts';

/** Characters of an event name. */
export const maxEventNameLength = 255;

const segmentEvent = /^segment\.[^.]+\.(?:entry|exit)$/;

/** Whether only the service itself may emit an event of this name (API contract, "Events"). */
export function isReservedEventName(name: string): boolean {
  if (name === 'contact.subscribed' || name === 'contact.unsubscribed') return true;
  return name.startsWith('email.') || segmentEvent.test(name);
}

/** The events of a tracked segment, by the segment's slug. */
export function segmentEventName(slug: string, change: 'entry' | 'exit'): string {
  return `segment.${slug}.${change}`;
}

/**
 * What is wrong with the name of an event, whoever emits it; undefined when it is fine. Names compare by case and are
 * not trimmed. Codes: `too_small`, `too_big`, `invalid_string`.
 */
export function findEventNameFormIssue(name: string, field = 'event'): FieldIssue | undefined {
  if (name.trim() === '')
    return { field, message: 'An event needs a name', code: 'too_small', received: name };
  if (name.length > maxEventNameLength) {
    return { field, message: `At most ${maxEventNameLength} characters are accepted`, code: 'too_big' };
  }
  if (/\p{Cc}/u.test(name) || !isStorableText(name)) {
    return { field, message: 'Control characters are not accepted', code: 'invalid_string' };
  }
  return undefined;
}

/** As `findEventNameFormIssue`, for an event that a caller tracks: `reserved_event` for our own names too. */
export function findEventNameIssue(name: string, field = 'event'): FieldIssue | undefined {
  const issue = findEventNameFormIssue(name, field);
  if (issue !== undefined || !isReservedEventName(name)) return issue;
  const message = `The event name "${name}" is reserved for the service itself`;
  return { field, message, code: 'reserved_event', received: name };
}
