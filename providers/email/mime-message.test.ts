import { expect, it } from 'vitest';
import { exampleEmail } from '../testing/example-email.ts';
import { buildMime, toMimeMessage } from './mime-message.ts';

function typeOf(bytes: Uint8Array, contentType = 'message/rfc822'): string | undefined {
  const file = {
    filename: 'a.eml',
    contentType,
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

it('attaches a multipart as a file', () => {
  expect(typeOf(Buffer.from('--a\r\n'), 'Multipart/related; boundary=a')).toBe('application/octet-stream');
});

it('leaves quoted strings in headers as they are', async () => {
  const headers = {
    'List-ID': '"Shop news" <news.shop.example>',
    'X-SMTPAPI': `{"category":"${'x '.repeat(300)}"}`,
  };
  const mime = (await buildMime(exampleEmail({ headers }))).toString();
  expect(mime.split('\r\n')).toContain('List-ID: "Shop news" <news.shop.example>');
  const unfolded = mime.replace(/\r\n /g, ' ');
  expect(unfolded.replace(/\s+/g, '')).toContain(`X-SMTPAPI:${headers['X-SMTPAPI'].replace(/\s+/g, '')}`);
  for (const line of mime.split('\r\n')) expect(line.length).toBeLessThan(999);
});

it.each(['Ж'.repeat(200), 'ab ä'.repeat(70), 'a'.repeat(310), '汉'.repeat(100)])(
  'writes mailboxes that SES takes, which counts at most 320 characters: %s',
  async (name) => {
    const mime = (await buildMime(exampleEmail({ to: { email: 'reader@mail.example', name } }))).toString();
    const [to = ''] = /^To:.*(?:\r\n .*)*/m.exec(mime) ?? [];
    expect(to.slice('To:'.length).replace(/\r\n /g, ' ').trim().length).toBeLessThanOrEqual(320);
    expect(to.length).toBeGreaterThan(150);
  },
);
