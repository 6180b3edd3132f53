import { validate as isUuid } from 'uuid';
import { isStorableText } from '../json-value.ts';
import type { InstantField } from './condition.ts';

export type Field =
  | { subject: 'email' | 'subscribed' | 'randomGroup' }
  | { subject: 'instant'; field: InstantField }
  | { subject: 'data'; key: string; path: string[] }
  | { subject: 'event'; name: string }
  | { subject: 'segment' | 'campaign'; id: string };

const maxFieldLength = 2_000;
/** A key of `data` and 32 levels below it; nothing deeper is stored. */
const maxPathLength = 33;

const eventByActivity: ReadonlyMap<string, string> = new Map([
  ['sent', 'email.sent'],
  ['delivered', 'email.delivery'],
  ['delivery', 'email.delivery'],
  ['opened', 'email.open'],
  ['open', 'email.open'],
  ['clicked', 'email.click'],
  ['click', 'email.click'],
  ['bounced', 'email.bounce'],
  ['bounce', 'email.bounce'],
  ['complained', 'email.complaint'],
  ['complaint', 'email.complaint'],
]);

export function parseField(text: string): Field | undefined {
  if (text.length > maxFieldLength || !isStorableText(text)) return undefined;
  if (text === 'email' || text === 'subscribed' || text === 'randomGroup') return { subject: text };
  if (text === 'createdAt' || text === 'updatedAt' || text === 'snoozedUntil') {
    return { subject: 'instant', field: text };
  }
  const dot = text.indexOf('.');
  const name = text.slice(dot + 1);
  if (dot < 0 || name === '') return undefined;
  const subject = text.slice(0, dot);
  switch (subject) {
    case 'data':
      return { subject: 'data', key: name, path: pathOf(name) };
    case 'event':
      return { subject: 'event', name };
    case 'email': {
      const event = eventByActivity.get(name);
      return event === undefined ? undefined : { subject: 'event', name: event };
    }
    case 'segment':
    case 'campaign':
      return isUuid(name) ? { subject, id: name.toLowerCase() } : undefined;
    default:
      return undefined;
  }
}

export interface Variable {
  of: 'context' | 'event';
  key: string;
  path: string[];
}

export function parseVariable(text: string): Variable | undefined {
  if (text.length > maxFieldLength || !isStorableText(text)) return undefined;
  for (const owner of ['context', 'event'] as const) {
    const key = text.slice(owner.length + 1);
    if (text.startsWith(`${owner}.`) && key !== '') return { of: owner, key, path: pathOf(key) };
  }
  return undefined;
}

function pathOf(name: string): string[] {
  const path = name.split('.');
  return path.length > maxPathLength ? [name] : path;
}
