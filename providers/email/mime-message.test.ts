import { expect, it } from 'vitest';
import { exampleEmail } from '../testing/example-email.ts';
import { toMimeMessage } from './mime-message.ts';

function typeOf(bytes: Uint8Array): string | undefined {
  const file = {
    filename: 'a.eml',
    contentType: 'message/rfc822',
    cid: null,
    disposition: 'attachment',
  } as const;
  return toMimeMessage(exampleEmail({ attachments: [{ ...file, bytes }] })).attachments[0]?.contentType;
}

it.each([
  ['', 'message/rfc822'],
  ['Subject: Hi\r\n\r\nHello', 'message/rfc822'],
  [`${'x'.repeat(998)}\r\n${'x'.repeat(998)}\n${'x'.repeat(998)}\r${'x'.repeat(998)}`, 'message/rfc822'],
  [`Subject: Hi\r\n\r\n${'x'.repeat(999)}`, 'application/octet-stream'],
  [`${'x'.repeat(999)}\r\n`, 'application/octet-stream'],
  ['Subject: Hi\r\n\r\n\0', 'application/octet-stream'],
  ['Subject: Hi\r\n\r\nGrüße', 'application/octet-stream'],
])('attaches an email as such only if it is lines of ASCII', (content, type) => {
  expect(typeOf(Buffer.from(content))).toBe(type);
});

// For minutes if each character of a line made it start over.
it('reads an attached email with lines of the greatest length once', { timeout: 60_000 }, () => {
  expect(typeOf(Buffer.alloc(32 * 1024 * 1024, `${'x'.repeat(998)}\r\n`))).toBe('message/rfc822');
});
