import { expect, it } from 'vitest';
import { exampleEmail } from '../testing/example-email.ts';
import type { OutgoingAttachment } from './email-provider.ts';
import { fitsSimpleContent } from './simple-content.ts';

const file = (changes: Partial<OutgoingAttachment>) => ({
  attachments: [
    {
      filename: 'a.txt',
      contentType: 'text/plain',
      cid: null,
      disposition: 'attachment' as const,
      bytes: Buffer.from('x'),
      ...changes,
    },
  ],
});
const header = (value: string, name = 'X-A') => ({ headers: { [name]: value } });
const headers = (count: number) => ({
  headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'a'])),
});

it.each([
  [true, 'nothing unusual', {}],
  [true, 'a value of 870 characters', header('a'.repeat(870))],
  [false, 'a value of 871 characters', header('a'.repeat(871))],
  [false, 'a value of 998 characters', header('a'.repeat(998))],
  [false, 'a value that encoding makes longer than 870 characters', header('ä'.repeat(400))],
  [true, 'a value that encoding makes longer, but not too long', header('ä'.repeat(100))],
  [false, 'an empty value', header('')],
  [false, 'a value of blanks', header(' \t')],
  [true, 'a name of 126 characters', header('a', 'X'.repeat(126))],
  [false, 'a name of 127 characters', header('a', 'X'.repeat(127))],
  [true, '15 headers', headers(15)],
  [false, '16 headers', headers(16)],
  [true, 'a content id of 78 characters', file({ cid: 'c'.repeat(78), disposition: 'inline' })],
  [false, 'a content id of 79 characters', file({ cid: 'c'.repeat(79), disposition: 'inline' })],
  [true, 'a content type of 78 characters', file({ contentType: `text/${'x'.repeat(73)}` })],
  [false, 'a content type of 79 characters', file({ contentType: `text/${'x'.repeat(74)}` })],
  [false, 'an attached email', file({ contentType: 'message/rfc822' })],
  [false, 'an attached multipart', file({ contentType: 'Multipart/related' })],
  [true, 'a file name of 255 characters', file({ filename: 'ü'.repeat(255) })],
  [false, 'a file name of 256 characters', file({ filename: 'n'.repeat(256) })],
])('is %s for %s', (expected, _case, changes) => {
  expect(fitsSimpleContent(exampleEmail(changes))).toBe(expected);
});
