import { expect, test } from 'vitest';
import { bodyText, readBody } from './webhook-body.ts';

test.each([
  ['{ "order": 12345678901234567890 }'],
  ['{ "name": "{{ firstName }}" }'],
  [{ order: '{{ event.order }}', lines: [1, null] }],
  [['a']],
  ['hello'],
  [5],
])('keeps %j while its text is unchanged', (body) => expect(readBody(bodyText(body), body)).toEqual(body));

test.each([
  ['{ "order": 7 }', { order: 7 }],
  ['[7]', [7]],
  ['{ "order": {{ event.order }} }', '{ "order": {{ event.order }} }'],
  ['7', '7'],
])('reads %s', (text, body) => expect(readBody(text, undefined)).toEqual(body));
