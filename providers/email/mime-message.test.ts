import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { exampleEmail, namedEmail } from '../testing/example-email.ts';
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
  [`${'x'.repeat(998)}\r\n${'x'.repeat(998)}\n${'x'.repeat(998)}`, 'message/rfc822'],
  ['Subject: Hi\r\n\r\nHello\rthere', 'application/octet-stream'],
  ['Subject: Hi\r', 'application/octet-stream'],
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

it('ends each line of a body with CR and LF, whatever ends it in the template', async () => {
  for (const letter of ['a', 'ü']) {
    const body = `${letter}\r${letter}\n${letter}\r\n\r${letter}`;
    const mime = await buildMime(exampleEmail({ html: body, text: body }));
    expect(mime.toString()).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
    const shown = [letter, letter, letter, '', letter].join('\r\n');
    const wanted = letter === 'a' ? shown : Buffer.from(shown).toString('base64');
    expect(mime.toString().split(wanted)).toHaveLength(3);
  }
});

it('folds no header into a line of spaces', async () => {
  const text = `Order${' '.repeat(200)}shipped`;
  const mime = (await buildMime(namedEmail(text, { headers: { 'X-Note': text } }))).toString();
  const [head = ''] = mime.split('\r\n\r\n');
  for (const line of head.split('\r\n')) expect(line).toMatch(/\S/);
  expect(await PostalMime.parse(mime)).toMatchObject({
    subject: text,
    from: { name: 'Order shipped' },
    to: [{ name: 'Order shipped' }],
  });
});
